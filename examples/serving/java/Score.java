// Scores rows with an exported model, by onnxruntime's own package for Java and without onesided.
//
//     java -cp onnxruntime.jar Score.java model.onnx rows.tsv
//
// rows.tsv has a header with the names of the columns and tabs between cells; a cell with nothing in it is missing. Dates are
// seconds since 1970. Java reads no JSON by itself, and this program needs nothing but onnxruntime.

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Score {
  public static void main(String[] arguments) throws Exception {
    List<String> lines = Files.readAllLines(Path.of(arguments[1]));
    List<String> names = Arrays.asList(lines.get(0).split("\t", -1));
    List<String[]> rows = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) rows.add(line.split("\t", -1));
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    try (OrtSession session = environment.createSession(arguments[0])) {
      Map<String, OnnxTensor> passed = new HashMap<>();
      for (var input : session.getInputInfo().entrySet()) {
        int at = names.indexOf(input.getKey());
        if (at < 0) throw new IllegalArgumentException("the rows have no column '" + input.getKey() + "'");
        TensorInfo info = (TensorInfo) input.getValue().getInfo();
        passed.put(input.getKey(), tensor(environment, info.type, rows, at));
      }
      try (OrtSession.Result found = session.run(passed)) {
        float[] score = (float[]) found.get("score").get().getValue();
        float[] probability = (float[]) found.get("probability").get().getValue();
        boolean[] decision = (boolean[]) found.get("decision").get().getValue();
        System.out.println("score\tprobability\tdecision");
        for (int row = 0; row < score.length; row++) {
          System.out.println(score[row] + "\t" + probability[row] + "\t" + decision[row]);
        }
      }
    }
  }

  /** A cell of a category, without blanks around it. */
  static String text(String cell) {
    return cell.replaceAll("^[ \\t\\n\\f\\r]+|[ \\t\\n\\f\\r]+$", "");
  }

  /** A column: what is no number is refused by parseDouble, since NaN would say that it is missing. */
  static OnnxTensor tensor(OrtEnvironment environment, OnnxJavaType type, List<String[]> rows, int at)
      throws Exception {
    if (type == OnnxJavaType.STRING) {
      String[][] texts = new String[rows.size()][1];
      for (int row = 0; row < texts.length; row++) texts[row][0] = text(rows.get(row)[at]);
      return OnnxTensor.createTensor(environment, texts);
    }
    if (type != OnnxJavaType.DOUBLE) throw new IllegalArgumentException("a column of " + type);
    double[][] numbers = new double[rows.size()][1];
    for (int row = 0; row < numbers.length; row++) {
      String cell = rows.get(row)[at].strip();
      numbers[row][0] = cell.isEmpty() ? Double.NaN : Double.parseDouble(cell);
    }
    return OnnxTensor.createTensor(environment, numbers);
  }
}

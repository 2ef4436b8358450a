// Scores rows with an exported model, by onnxruntime and without onesided.
//
//	go run . /usr/lib/libonnxruntime.so model.onnx rows.json
//
// rows.json has a list per column: {"age": [31, null], "city": ["Oslo", null]}; dates are seconds since 1970. null is NaN for a
// number and the empty string for a category.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"strings"

	ort "github.com/yalue/onnxruntime_go"
)

// check ends the program with an error.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// number is a cell of numbers; true is 1, and what is no number is refused, since NaN would say that it is missing.
func number(cell any, name string) (float64, error) {
	switch cell := cell.(type) {
	case nil:
		return math.NaN(), nil
	case float64:
		return cell, nil
	case bool:
		if cell {
			return 1, nil
		}
		return 0, nil
	}
	return 0, fmt.Errorf("column '%s' takes numbers, and %v is none", name, cell)
}

// text is a cell of a category, without blanks around it.
func text(cell any, name string) (string, error) {
	switch cell := cell.(type) {
	case nil:
		return "", nil
	case string:
		return strings.Trim(cell, " \t\n\f\r"), nil
	}
	return "", fmt.Errorf("column '%s' takes strings, and %v is none", name, cell)
}

// tensor makes a column of cells.
func tensor(of ort.TensorElementDataType, cells []any, name string) (ort.Value, error) {
	shape := ort.NewShape(int64(len(cells)), 1)
	if of == ort.TensorElementDataTypeString {
		texts := make([]string, len(cells))
		for row, cell := range cells {
			one, err := text(cell, name)
			check(err)
			texts[row] = one
		}
		made, err := ort.NewStringTensor(shape)
		check(err)
		return made, made.SetContents(texts)
	}
	numbers := make([]float64, len(cells))
	for row, cell := range cells {
		one, err := number(cell, name)
		check(err)
		numbers[row] = one
	}
	return ort.NewTensor(shape, numbers)
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("name the library, a model and its rows")
	}
	file, err := os.ReadFile(os.Args[3])
	check(err)
	var columns map[string][]any
	check(json.Unmarshal(file, &columns))
	ort.SetSharedLibraryPath(os.Args[1])
	check(ort.InitializeEnvironment())
	defer ort.DestroyEnvironment()
	inputs, _, err := ort.GetInputOutputInfo(os.Args[2])
	check(err)
	var names []string
	var passed []ort.Value
	for _, input := range inputs {
		cells, there := columns[input.Name]
		if !there {
			log.Fatalf("the rows have no column '%s'", input.Name)
		}
		value, err := tensor(input.DataType, cells, input.Name)
		check(err)
		names, passed = append(names, input.Name), append(passed, value)
	}
	outputs := []string{"score", "probability", "decision"}
	session, err := ort.NewDynamicAdvancedSession(os.Args[2], names, outputs, nil)
	check(err)
	found := make([]ort.Value, len(outputs))
	check(session.Run(passed, found))
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"score":       found[0].(*ort.Tensor[float32]).GetData(),
		"probability": found[1].(*ort.Tensor[float32]).GetData(),
		"decision":    found[2].(*ort.Tensor[bool]).GetData(),
	}))
}

module score

go 1.19

require github.com/yalue/onnxruntime_go v1.35.0

"""The operators that the second checker reads: ONNX name -> rule(importer, node) -> values."""
import folding
import indexing
import operators
import windows

RULES = {
    "Constant": folding.constant, "Shape": folding.shape, "Size": folding.size, "Cast": folding.cast,
    "ConstantOfShape": folding.constant_of_shape,
    "Identity": indexing.identity, "Dropout": indexing.dropout, "Flatten": indexing.flatten,
    "Reshape": indexing.reshape, "Squeeze": indexing.squeeze, "Unsqueeze": indexing.unsqueeze,
    "Transpose": indexing.transpose, "Concat": indexing.concat, "Slice": indexing.slice_, "Split": indexing.split,
    "Gather": indexing.gather, "Pad": indexing.pad, "Expand": indexing.expand,
    "Add": operators.add, "Sub": operators.sub, "Mul": operators.mul, "Div": operators.div,
    "Neg": operators.unary("neg"), "Relu": operators.unary("relu"), "Abs": operators.unary("abs"),
    "LeakyRelu": operators.leaky, "Clip": operators.clip, "MatMul": operators.matmul, "Gemm": operators.gemm,
    "BatchNormalization": operators.batch_normalization,
    "ReduceSum": operators.reduction(False), "ReduceMean": operators.reduction(True),
    "Conv": windows.conv, "AveragePool": windows.average_pool, "GlobalAveragePool": windows.global_average_pool,
    "MaxPool": windows.max_pool,
}

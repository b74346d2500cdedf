// What the ONNX reader refuses: damaged wire data, model and tensor faults, names, types, limits, external data; and
// that the first blocker of a model is named with its place.
#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>

#include "test/checker/onnx_writer.hpp"

using namespace onnx_test;
namespace fs = std::filesystem;

namespace {

Net good() { return one(13, {2}, node("Add", "x c", "y"), {floats("c", {2}, {1, 2})}); }
const std::string kGood = "shift(0)#2 | 1 2";

std::string with_tensor(const Proto& tensor) { return show(one(13, {2}, node("Add", "x c", "y"), {tensor})); }

}  // namespace

TEST_CASE("wire data") {
  const std::string file = good().file();
  REQUIRE(show(file) == kGood);
  for (std::size_t size = 0; size < file.size(); ++size) CHECK(contains(show(file.substr(0, size)), "refused"));
  CHECK(contains(show(file + file), "given twice"));
  CHECK(contains(show(file + varint(7 << 3 | 2) + varint(UINT64_MAX >> 1)), "longer than its message"));
  CHECK(contains(show(file + varint(7 << 3 | 2) + varint(UINT64_MAX)), "longer than its message"));
  for (unsigned type : {3, 4, 6, 7}) CHECK(contains(show(file + varint(30 << 3 | type)), "wire type"));
  CHECK(contains(show(file + varint(0) + varint(1)), "not understood"));
  CHECK(contains(show(file + varint(99 << 3) + varint(1)), "not understood"));
  CHECK(contains(show(file + varint((7 + (UINT64_MAX / 8 - 7)) << 3)), "refused"));
  CHECK(contains(show(file + std::string(10, '\xff') + '\x01'), "64 bits"));
  CHECK(contains(show(Proto().text(1, "x").bytes), "wrong wire type"));
  CHECK(contains(show(file + Proto().message(25, Proto()).bytes), "field 25"));
  CHECK(contains(show(file + Proto().message(20, Proto()).bytes), "field 20"));
  Net sparse = good(), annotated = good(), metadata = good();
  sparse.graph.message(15, Proto());
  annotated.graph.message(14, Proto().text(1, "c"));
  metadata.graph.text(2, "g").text(10, "doc").message(16, Proto().text(1, "k").text(2, "v"));
  metadata.model.text(2, "producer").text(6, "doc").message(14, Proto().text(1, "k"));
  CHECK(contains(show(sparse), "field 15"));
  CHECK(contains(show(annotated), "field 14"));
  CHECK(show(metadata) == kGood);
}

TEST_CASE("every flipped byte is read or refused, never worse") {
  const std::string file = good().file();
  int read = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = file;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      const std::string text = show(changed);
      CHECK_MESSAGE(!contains(text, "fault: "), text);
      read += !contains(text, "refused");
    }
  }
  CHECK(read > 0);
  CHECK(read < static_cast<int>(file.size()) * 8);
}

TEST_CASE("versions and domains") {
  for (Int opset : {6, 24, 99, -1}) CHECK(contains(show(one(opset, {1}, node("Relu", "x", "y"))), "opset version"));
  for (Int opset = 7; opset <= 23; ++opset) CHECK(show(one(opset, {1}, node("Relu", "x", "y"))) == "relu(0)#1");
  Net net = good();
  net.model.message(8, Proto().number(2, 13).text(1, "ai.onnx"));
  CHECK(show(net) == kGood);
  net.model.message(8, Proto().text(1, "vendor").number(2, 99));
  CHECK(show(net) == kGood);
  net.model.message(8, Proto().number(2, 12));
  CHECK(contains(show(net), "two different opset versions"));
  CHECK(contains(show(Proto().number(1, 8).message(7, Proto()).bytes), "no opset import"));
  CHECK(contains(show(Proto().number(1, 8).message(8, Proto().number(2, 13)).bytes), "no graph"));
  for (Int ir : {0, 2, 12}) {
    net = good();
    net.ir = ir;
    CHECK(contains(show(net), "IR version"));
  }
  Proto foreign = node("Relu", "x", "y");
  CHECK(show(one(13, {1}, Proto(foreign).text(7, "ai.onnx"))) == "relu(0)#1");
  CHECK(contains(show(one(13, {1}, Proto(foreign).text(7, "vendor"))), "domain 'vendor'"));
  CHECK(contains(show(one(13, {1}, Proto(foreign).text(8, "f"))), "not supported"));
}

TEST_CASE("tensors") {
  CHECK(with_tensor(tensor_head("c", {2}, 1).real(4, 1).real(4, 2)) == kGood);
  CHECK(with_tensor(tensor_head("c", {2}, 1).text(4, raw<float>(std::vector<double>{1, 2}))) == kGood);
  CHECK(contains(with_tensor(floats("c", {2}, {1})), "raw data"));
  CHECK(contains(with_tensor(tensor_head("c", {2}, 1).text(9, "1234567")), "raw data"));
  CHECK(contains(with_tensor(tensor_head("c", {2}, 1).real(4, 1)), "number of values"));
  CHECK(contains(with_tensor(tensor_head("c", {2}, 1).text(4, "12345")), "do not fill"));
  CHECK(contains(with_tensor(tensor_head("c", {2}, 1)), "one source"));
  CHECK(contains(with_tensor(floats("c", {2}, {1, 2}).real(4, 1)), "one source"));
  // An empty run of numbers in another field is no second source, as for the protobuf library; an empty string is.
  CHECK(with_tensor(floats("c", {2}, {1, 2}).text(4, "").text(7, "").text(10, "")) == kGood);
  CHECK(contains(with_tensor(floats("c", {2}, {1, 2}).text(6, "")), "one source"));
  CHECK(contains(with_tensor(tensor_head("c", {2}, 1).number(7, 1).number(7, 2)), "another type"));
  CHECK(contains(with_tensor(tensor_head("c", {2}, 1).text(6, "a")), "another type"));
  CHECK(contains(with_tensor(floats("c", {2}, {1, 2}).message(3, Proto())), "field 3"));
  for (int type : {0, 8, 10, 16, 99, -1})
    CHECK(contains(with_tensor(tensor_head("c", {2}, type).text(9, "1234")), "element type"));
  CHECK(contains(with_tensor(doubles("c", {2}, {1, 2})), "another type"));
  CHECK(contains(with_tensor(floats("c", {2}, {1, NAN})), "NaN"));
  CHECK(contains(with_tensor(floats("c", {2}, {1, -INFINITY})), "infinity"));
  CHECK(contains(with_tensor(floats("c", {Int{1} << 62}, {1})), "limit 2147483648 elements"));
  CHECK(contains(with_tensor(floats("c", {(Int{1} << 62) + 1, 4}, {1})), "limit 2147483648 elements"));
  CHECK(contains(with_tensor(floats("c", {-2}, {})), "negative"));
  CHECK(contains(with_tensor(floats("c", {0}, {})), "without elements"));
  CHECK(contains(with_tensor(floats("c", Shape(17, 1), {1})), "rank"));
  CHECK(contains(with_tensor(bools("c", {2}, {0, 2})), "its type cannot hold"));
  CHECK(contains(with_tensor(tensor_head("c", {1}, 3).number(5, 128)), "its type cannot hold"));
  CHECK(contains(with_tensor(tensor_head("c", {1}, 13).text(9, std::string(8, '\xff'))), "its type cannot hold"));
}

TEST_CASE("names") {
  Net net = good();
  CHECK(contains(show(net.constant(floats("c", {2}, {3, 4}))), "defined before"));
  net = good();
  CHECK(contains(show(net.input("x", {2})), "defined before"));
  net = good();
  CHECK(contains(show(net.add(node("Relu", "x", "y"))), "defined before"));
  net = good();
  CHECK(contains(show(net.add(node("Relu", "x", "c"))), "defined before"));
  net = good();
  CHECK(contains(show(net.add(node("Relu", "x", "x"))), "defined before"));
  CHECK(contains(show(one(13, {1}, node("Split", "x", "y y", {i("axis", 0)}))), "refused"));
  CHECK(contains(show(one(13, {1}, node("Relu", "y", "y"))), "not defined before"));
  CHECK(contains(show(Net(13).input("x", {1}).add(node("Relu", "b", "a")).add(node("Relu", "a", "b")).output("a")),
                 "'b' is not defined"));
  CHECK(contains(show(Net(13).input("x", {1}).output("y")), "output 'y': it is never produced"));
  CHECK(contains(show(Net(13).input("x", {1}).add(node("Relu", "x", "y"))), "no output"));
  CHECK(contains(show(one(13, {1}, node("Relu", "", "y"))), "number of operands"));
  CHECK(contains(show(one(13, {1}, node("Add", "- x", "y"))), "operand 0 is missing"));
  CHECK(contains(show(one(13, {1}, node("Concat", "x - x", "y", {i("axis", 0)}))), "operand 1 is missing"));
  CHECK(contains(show(one(13, {1}, node("Relu", "x x", "y"))), "number of operands"));
  CHECK(contains(show(Net(13).input("x", {1}).add(node("Dropout", "x", "y m")).output("m")),
                 "output 'm': it is never produced"));
}

TEST_CASE("inputs and outputs") {
  Net listed = good();
  CHECK(show(listed.input("c", {2})) == kGood);
  CHECK(
      contains(show(Net(13).input("x", {2}).constant(floats("x", {2}, {1, 2})).add(node("Relu", "x", "y")).output("y")),
               "no free input"));
  CHECK(contains(show(Net(13).input("x", {2}, 7).add(node("Relu", "x", "y")).output("y")), "binary32"));
  CHECK(contains(show(Net(13).input("x", {2}).input("z", {2}, 11).add(node("Relu", "x", "y")).output("y")),
                 "all binary32"));
  CHECK(show(one(13, {-1, 2}, node("Relu", "x", "y"))) == "relu(0)#2");
  CHECK(contains(show(one(13, {2, -1}, node("Relu", "x", "y"))), "open dimension"));
  CHECK(contains(show(one(13, {2, 0}, node("Relu", "x", "y"))), "without elements"));
  CHECK(contains(show(one(13, {2, -3}, node("Relu", "x", "y"))), "negative"));
  CHECK(contains(show(one(13, {1 << 16, 1 << 16}, node("Relu", "x", "y"))), "limit 2147483648 elements"));
  CHECK(contains(show(one(13, Shape(17, 1), node("Relu", "x", "y"))), "rank"));
  CHECK(show(one(13, {2, -1}, node("Relu", "x", "y")), {{"x", {2, 3}}}) == "relu(0)#6");
  CHECK(contains(show(one(13, {2, -1}, node("Relu", "x", "y")), {{"x", {3, 3}}}), "differs"));
  CHECK(contains(show(one(13, {2, -1}, node("Relu", "x", "y")), {{"x", {2, 3, 1}}}), "the given shape differs"));
  CHECK(contains(show(one(13, {2}, node("Relu", "x", "y")), {{"z", {2}}}), "no free input"));
  Net bare(13);
  bare.graph.message(11, Proto().text(1, "x").message(2, Proto().message(1, Proto().number(1, 1))));
  bare.add(node("Relu", "x", "y")).output("y");
  CHECK(contains(show(bare), "no shape"));
  CHECK(show(bare, {{"x", {3}}}) == "relu(0)#3");
  const auto declared = [](const Shape& shape, int type) {
    Net net(13);
    net.input("x", {1, 2}).add(node("Relu", "x", "y")).graph.message(12, value_info("y", shape, type));
    return show(net);
  };
  CHECK(declared({-1, 2}, 1) == "relu(0)#2");
  CHECK(contains(declared({1, 5}, 1), "declared"));
  CHECK(contains(declared({2}, 1), "declared"));
  CHECK(contains(declared({1, 2}, 11), "declared element type"));
  CHECK(contains(show(one(13, {2}, node("Shape", "x", "y"))), "integer constant"));
}

TEST_CASE("attributes") {
  CHECK(contains(show(one(13, {2}, node("Relu", "x", "y", {f("alpha", 1)}))), "attribute 'alpha' is not understood"));
  CHECK(contains(show(one(13, {2}, node("LeakyRelu", "x", "y", {i("alpha", 1)}))), "'alpha' is not understood"));
  CHECK(contains(show(one(13, {2}, node("LeakyRelu", "x", "y", {f("alpha", 1).number(3, 1)}))),
                 "'alpha' is not understood"));
  CHECK(contains(show(one(13, {2}, node("LeakyRelu", "x", "y", {Proto().text(1, "alpha").real(2, 1)}))),
                 "'alpha' is not understood"));
  CHECK(
      contains(show(one(13, {2}, node("LeakyRelu", "x", "y", {f("alpha", 1), f("alpha", 1)}))), "'alpha' given twice"));
  CHECK(contains(show(one(13, {2}, node("LeakyRelu", "x", "y", {f("alpha", 1).text(21, "r")}))), "field 21"));
  CHECK(contains(show(one(13, {2}, node("Concat", "x", "y"))), "'axis' is missing"));
  CHECK(contains(show(one(13, {2}, node("Flatten", "x", "y", {i("axis:i", 1)}))), "is not understood"));
  CHECK(contains(show(one(13, {2}, node("If", "x", "y", {attribute("then_branch", 5).message(6, Proto())}))),
                 "operator is not supported"));
}

TEST_CASE("the first blocker is named with its place; without it the next one is") {
  const Proto nodes[] = {node("Sin", "x", "a"), node("Relu", "x", "b", {f("slope", 1)}), node("Mul", "x x", "d"),
                         node("Tan", "x", "y").text(3, "last")};
  const char* const places[] = {"onnx: node 0 '' (Sin, opset 13): the operator", "onnx: node 0 '' (Relu, opset 13): ",
                                "onnx: node 0 '' (Mul, opset 13): ", "onnx: node 0 'last' (Tan, opset 13): "};
  for (std::size_t first = 0; first < std::size(nodes); ++first) {
    Net net(13);
    net.input("x", {2}).constant(floats("c", {2}, {1, 2}));
    for (std::size_t k = first; k < std::size(nodes); ++k) net.add(nodes[k]);
    const std::string text = show(net.output("y"));
    CHECK_MESSAGE(contains(text, places[first]), text);
    CHECK_MESSAGE(!contains(text, "node 1"), text);
    CHECK(contains(show(net.constant(tensor_head("h", {1}, 10).text(9, "12"))),
                   "onnx: initializer 'h': element type 10"));
  }
}

TEST_CASE("work is bounded by the size of the file") {
  const auto huge = show(one(13, {2, 1}, node("Expand", "x s", "y"), {ints("s", {2}, {2, 1 << 29})}));
  CHECK(contains(huge, "its size allows"));
  CHECK(contains(show(one(13, {2}, node("Pad", "x p", "y"), {ints("p", {2}, {1 << 30, 0})})), "its size allows"));
  CHECK(contains(show(one(13, {1, 1, 1 << 20, 1}, node("MaxPool", "x", "y", {is("kernel_shape", {1 << 19, 1})}))),
                 "limit 2147483648 elements"));
  Net copies(13);
  copies.input("x", {1 << 14, 1}).constant(floats("c", {1, 1 << 12}, std::vector<double>(1 << 12, 1)));
  for (int k = 0; k < 40; ++k) copies.add(node("Add", "x c", "y" + std::to_string(k)));
  CHECK(contains(show(copies.output("y39")), "its size allows"));
  // Constants that grow step by step, and tensors whose emptiness hides large dimensions.
  Net chain(13);
  chain.input("x", {1}).constant(ints("c0", {1 << 14}, Shape(1 << 14, 1)));
  for (int k = 0; k < 6000; ++k) chain.add(node("Neg", "c" + std::to_string(k), "c" + std::to_string(k + 1)));
  CHECK(contains(show(chain.output("c6000")), "its size allows"));
  const Shape empty{1 << 15, 1 << 15, 0};
  CHECK(contains(show(one(13, {1}, node("Transpose", "c", "y"), {floats("c", empty, {})})), "without elements"));
  CHECK(contains(show(one(13, {1}, node("Concat", "c c", "y", {i("axis", 2)}), {floats("c", empty, {})})),
                 "without elements"));
  CHECK(contains(show(one(13, {1}, node("Gather", "c g", "y"), {floats("c", empty, {}), ints("g", {1}, {0})})),
                 "without elements"));
  CHECK(contains(show(one(13, {1}, node("ReduceSum", "c a", "y"), {ints("c", empty, {}), ints("a", {1}, {2})})),
                 "its size allows"));
  CHECK(contains(show(one(13, {2}, node("Reshape", "x s", "y"), {ints("s", {2}, {INT64_MIN, -1})})), "negative"));
  CHECK(contains(show(one(13, {2}, node("Reshape", "x s", "y"), {ints("s", {2}, {Int{1} << 33, Int{1} << 33})})),
                 "limit 2147483648 elements"));
}

TEST_CASE("external data") {
  const std::string values = raw<float>(std::vector<double>{9, 1, 2});
  write("weights.bin", values);
  write("sub/weights.bin", values);
  write("../outward_onnx_outside.bin", values);
  const auto external = [](const std::vector<std::pair<std::string, std::string>>& keys) {
    Proto tensor = tensor_head("c", {2}, 1).number(14, 1);
    for (const auto& [key, value] : keys) tensor.message(13, Proto().text(1, key).text(2, value));
    return one(13, {2}, node("Add", "x c", "y"), {tensor});
  };
  const auto at = [&](const std::string& location) {
    return show(external({{"location", location}, {"offset", "4"}, {"length", "8"}}));
  };
  CHECK(at("weights.bin") == kGood);
  CHECK(at("./sub/./weights.bin") == kGood);
  CHECK(show(external({{"location", "weights.bin"}, {"offset", "4"}, {"checksum", "unused"}})) == kGood);
  const ModelRead read = read_bytes(external({{"location", "./sub/weights.bin"}, {"offset", "4"}}).file());
  REQUIRE(read.files.size() == 2);
  CHECK(read.files[0].path == "model.onnx");
  CHECK(read.files[1].path == "sub/weights.bin");
  CHECK(read.files[1].bytes == values.size());
  CHECK(read.files[1].sha256 ==
        outward_check::sha256_hex(reinterpret_cast<const std::uint8_t*>(values.data()), values.size()));
  for (const char* path : {"../outward_onnx_outside.bin", "sub/../../outward_onnx_outside.bin", "sub/../weights.bin",
                           "..", "", ".", "sub", "sub/", "/etc/passwd", "absent.bin", "weights.bin/x", "a\\b"}) {
    CHECK_MESSAGE(contains(at(path), "external data"), path);
  }
  CHECK(contains(at(std::string("weights.bin\0x", 13)), "external data"));
  std::error_code error;
  fs::create_symlink("weights.bin", scratch() / "link.bin", error);
  fs::create_directory_symlink("sub", scratch() / "linkdir", error);
  REQUIRE(!error);
  CHECK(contains(at("link.bin"), "symbolic link"));
  CHECK(contains(at("linkdir/weights.bin"), "symbolic link"));
  const auto span = [&](const std::string& offset, const std::string& length) {
    return show(external({{"location", "weights.bin"}, {"offset", offset}, {"length", length}}));
  };
  CHECK(contains(span("8", "8"), "beyond the end"));
  CHECK(contains(span("13", "0"), "beyond the end"));
  CHECK(contains(span("0", "4"), "does not match the shape"));
  for (const char* number : {"", "-4", "+4", " 4", "4 ", "0x4", "18446744073709551612", "99999999999999999999"}) {
    CHECK_MESSAGE(contains(span(number, "8"), "bad number"), number);
    CHECK_MESSAGE(contains(span("4", number), "bad number"), number);
  }
  CHECK(contains(show(external({{"location", "weights.bin"}, {"permission", "x"}})), "unknown key"));
  CHECK(contains(show(external({{"location", "weights.bin"}, {"location", "weights.bin"}})), "twice"));
  CHECK(contains(show(external({})), "external data"));
  CHECK(contains(
      with_tensor(
          floats("c", {2}, {1, 2}).number(14, 1).message(13, Proto().text(1, "location").text(2, "weights.bin"))),
      "source"));
  CHECK(contains(with_tensor(floats("c", {2}, {1, 2}).number(14, 2)), "data location"));
  CHECK(contains(with_tensor(floats("c", {2}, {1, 2}).message(13, Proto().text(1, "location"))), "external data keys"));
  fs::remove(scratch() / "../outward_onnx_outside.bin");
}

TEST_CASE("the hostile files") {
  const char* given = std::getenv("OUTWARD_CASES");
  const fs::path folder = (given ? fs::path(given) : fs::path(OUTWARD_SOURCE_DIR) / "../shared/cases") / "hostile";
  if (!fs::exists(folder / "expected.csv")) {
    std::cout << "SKIPPED: no hostile files at " << folder << "\n";
    return;
  }
  std::ifstream list(folder / "expected.csv");
  int seen = 0;
  for (std::string line; std::getline(list, line);) {
    const std::string file = line.substr(0, line.find(','));
    if (!file.ends_with(".onnx")) continue;
    const bool refused = contains(line, ".vnnlib,refused,");
    std::string text = "read";
    try {
      outward_check::read_model((folder / file).string(), {});
    } catch (const ReadError& e) {
      text = std::string("refused: ") + e.what();
    }
    CHECK_MESSAGE(contains(text, "refused") == refused, file << " " << text);
    ++seen;
  }
  CHECK(seen > 40);
}

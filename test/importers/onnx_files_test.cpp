// Files rather than models: gzip, the raw wire format, external data, and the hostile collection when it is there.
#include <doctest/doctest.h>
#include <zlib.h>

#include <fstream>
#include <sstream>

#include "onnx_builder.hpp"

using namespace onnx_test;
namespace fs = std::filesystem;

namespace {

std::string import_code(const std::string& path) {
  try {
    outward::import_onnx(path, {});
    return "accepted";
  } catch (const outward::InputRefused& refused) {
    return refused.blockers.at(0).code;
  }
}

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// x + w with w [2] in an external file.
Net external(const std::vector<std::pair<std::string, std::string>>& entries) {
  Net net;
  net.input("x", {2}).output("y").node("Add", {"x", "w"}, {"y"});
  auto* t = net.model.mutable_graph()->add_initializer();
  t->set_name("w");
  t->set_data_type(onnx::TensorProto::FLOAT);
  t->add_dims(2);
  t->set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : entries) {
    auto* entry = t->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  return net;
}

const std::string weights("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12);  // 1, 2, 3

}  // namespace

TEST_CASE("gzip: one member, checksum and ratio checked, digests of the unpacked bytes") {
  const Scratch scratch;
  const std::string plain = Net().input("x", {2}).output("y").node("Relu", {"x"}, {"y"}).bytes();
  const auto a = outward::import_onnx(scratch.write("m.onnx", plain), {});
  const auto b = outward::import_onnx(scratch.write("m.onnx.gz", gzip(plain)), {});
  CHECK(outward::graph_digest(a.graph) == outward::graph_digest(b.graph));
  CHECK(a.files[0].sha256 == b.files[0].sha256);
  CHECK(b.files[0].bytes == plain.size());
  CHECK(b.files[0].path == "m.onnx.gz");
  std::string packed = gzip(plain);
  CHECK(import_code(scratch.write("two.gz", packed + packed)) == "malformed");
  CHECK(import_code(scratch.write("tail.gz", packed + "x")) == "malformed");
  CHECK(import_code(scratch.write("cut.gz", packed.substr(0, packed.size() - 1))) == "malformed");
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
  CHECK(import_code(scratch.write("crc.gz", packed)) == "malformed");
  CHECK(import_code(scratch.write("bomb.gz", gzip(std::string(std::size_t{1} << 24, '\0')))) == "over-limit");
  CHECK(import_code(scratch.path().string()) == "unreadable-file");
  CHECK(import_code((scratch.path() / "absent").string()) == "unreadable-file");
}

TEST_CASE("raw wire format: what protobuf would merge or drop silently is refused") {
  const Scratch scratch;
  const std::string plain = Net().input("x", {2}).output("y").node("Relu", {"x"}, {"y"}).bytes();
  int number = 0;
  const auto code = [&](const std::string& bytes) {
    return import_code(scratch.write(std::to_string(number++), bytes));
  };
  CHECK(code(plain) == "accepted");
  CHECK(code(plain + plain) == "repeated-field");
  CHECK(code(plain + std::string("\x08\x08", 2)) == "repeated-field");     // ir_version again
  CHECK(code(plain + std::string("\x9b\x06", 2)) == "malformed");          // start of a group
  CHECK(code(plain + std::string("\x98\x06\x01", 3)) == "unknown-field");  // field 99
  CHECK(code(plain + std::string("\x0a\x01\x08", 3)) == "malformed");      // ir_version as bytes
  CHECK(code(plain + std::string("\x72", 1)) == "malformed");              // length cut off
  CHECK(code(plain + std::string("\x72\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10)) == "malformed");
  CHECK(code(plain + std::string("\x72\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11)) == "malformed");  // 65 bits
  CHECK(code("not a model") == "malformed");
  try {
    outward::import_onnx(scratch.write("p.vnnlib", "(declare-const X_0 Real)\n"), {});
    FAIL("a text was accepted");
  } catch (const outward::InputRefused& refused) {
    CHECK(refused.blockers.at(0).what == "this is a text file");
  }
  CHECK(code("PK\x03\x04rest") == "malformed");
  CHECK(code("") == "malformed");
  // A tensor location that the definitions do not know would read as the default one.
  Net net = Net().input("x", {2}).output("y").constant("w", {2}, {1, 2}).node("Add", {"x", "w"}, {"y"});
  onnx::ModelProto located = net.model;
  auto* initializer = located.mutable_graph()->mutable_initializer(0);
  REQUIRE(initializer->ParseFromString(initializer->SerializeAsString() + std::string("\x70\x07", 2)));
  CHECK(code(located.SerializeAsString()) == "unknown-value");
  // So would 2^32 + 1 in the place of the data type 1; a comment makes room for it.
  onnx::ModelProto wide = net.model;
  wide.mutable_graph()->mutable_initializer(0)->set_doc_string("room");
  std::string bytes = wide.SerializeAsString();
  const auto replace = [&](const std::string& before, const std::string& after) {
    const std::size_t at = bytes.find(before);
    REQUIRE(at != std::string::npos);
    bytes.replace(at, before.size(), after);
  };
  CHECK(code(bytes) == "accepted");
  replace(std::string("\x08\x02\x10\x01", 4), std::string("\x08\x02\x10\x81\x80\x80\x80\x10", 8));
  replace(std::string("\x62\x04room", 6), std::string("\x62\x00", 2));
  CHECK(code(bytes) == "unknown-value");
  // metadata_props of nodes (newer than the definitions) are ignored, the overload of a node is not.
  const auto with_node_field = [&](const std::string& field) {
    onnx::NodeProto node = net.model.graph().node(0);
    onnx::ModelProto model = net.model;
    REQUIRE(model.mutable_graph()->mutable_node(0)->ParseFromString(node.SerializeAsString() + field));
    return code(model.SerializeAsString());
  };
  CHECK(with_node_field("") == "accepted");
  CHECK(with_node_field(std::string("\x4a\x00", 2)) == "accepted");
  CHECK(with_node_field(std::string("\x42\x00", 2)) == "accepted");
  CHECK(with_node_field(std::string("\x42\x01z", 3)) == "unknown-field");
  CHECK(with_node_field(std::string("\x40\x00", 2)) == "unknown-field");  // numbers instead of messages
  CHECK(with_node_field(std::string("\x48\x00", 2)) == "unknown-field");
}

TEST_CASE("external data") {
  const Scratch scratch;
  scratch.write("w.bin", weights);
  scratch.write("sub/w.bin", weights);
  int number = 0;
  const auto code = [&](const std::vector<std::pair<std::string, std::string>>& entries) {
    return import_code(scratch.write("m" + std::to_string(number++), external(entries).bytes()));
  };
  const auto model = outward::import_onnx(
      scratch.write("m.onnx", external({{"location", "./sub//w.bin"}, {"offset", "4"}, {"length", "8"}}).bytes()), {});
  CHECK(model.graph.nodes[1].payload == std::vector<double>{2, 3});
  REQUIRE(model.files.size() == 2);
  CHECK(model.files[1].path == "sub/w.bin");
  CHECK(model.files[1].bytes == 12);
  CHECK(model.files[1].sha256 == outward::sha256_hex(weights.data(), weights.size()));
  CHECK(code({{"location", "w.bin"}, {"offset", "4"}}) == "accepted");  // to the end of the file
  CHECK(code({{"location", "w.bin"}}) == "bad-tensor");                 // 12 bytes for two numbers
  CHECK(code({{"location", "w.bin"}, {"length", "4"}}) == "bad-tensor");
  CHECK(code({{"location", "w.bin"}, {"offset", "8"}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", "w.bin"}, {"offset", "9223372036854775807"}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", "w.bin"}, {"offset", "18446744073709551612"}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", "w.bin"}, {"offset", "-4"}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", "w.bin"}, {"length", "8"}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", "w.bin"}, {"length", "8"}, {"colour", "red"}}) == "external-data");
  CHECK(code({{"location", "w.bin"}, {"length", "8"}, {"checksum", "00"}}) == "external-data");
  CHECK(code({{"length", "8"}}) == "external-data");
  CHECK(code({{"location", ""}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", "absent"}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", "sub"}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", "sub/"}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", "sub/../w.bin"}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", (scratch.path() / "w.bin").string()}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", std::string("w.bin\0x", 7)}, {"length", "8"}}) == "external-data");
  fs::create_symlink("w.bin", scratch.path() / "link.bin");
  fs::create_directory_symlink("sub", scratch.path() / "linkdir");
  CHECK(code({{"location", "link.bin"}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", "linkdir/w.bin"}, {"length", "8"}}) == "external-data");
  fs::create_hard_link(scratch.path() / "w.bin", scratch.path() / "hard.bin");
  CHECK(code({{"location", "hard.bin"}, {"length", "8"}}) == "external-data");
  CHECK(code({{"location", "w.bin"}, {"length", "8"}}) == "external-data");  // it has two names now
}

TEST_CASE("the hostile collection: every refusal and every acceptance that concerns the model") {
  const std::string cases = cases_folder();
  if (cases.empty()) {
    MESSAGE("SKIPPED: no case folder (set OUTWARD_CASES)");
    return;
  }
  // A copy with the symbolic links its README asks for.
  const Scratch scratch;
  fs::copy(cases + "/hostile", scratch.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  fs::create_symlink("weights.bin", scratch.path() / "link.bin");
  fs::create_directory_symlink("sub", scratch.path() / "linkdir");
  std::ifstream table(scratch.path() / "expected.csv");
  std::string line;
  int count = 0;
  while (std::getline(table, line)) {
    std::stringstream fields(line);
    std::string file, program, arguments, expected;
    std::getline(fields, file, ',');
    std::getline(fields, program, ',');
    std::getline(fields, arguments, ',');
    std::getline(fields, expected, ',');
    if (program != "verify" || file.find(".onnx") == std::string::npos) continue;
    CAPTURE(file);
    const std::string code = import_code((scratch.path() / file).string());
    if (expected == "refused")
      CHECK(code != "accepted");
    else
      CHECK(code == "accepted");
    ++count;
  }
  CHECK(count > 40);
}

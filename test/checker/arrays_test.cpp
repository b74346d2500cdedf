// Input arrays of every format: bits of accepted ones, refusals by reason, and the outside hostile .npy files.
#include "checker/translate/arrays.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

using namespace outward_check;

namespace {

Graph graph(std::vector<std::int64_t> shape, bool is_binary64 = false) {
  Graph g;
  g.nodes.resize(1);
  g.nodes[0].size = 1;
  for (std::int64_t d : shape) g.nodes[0].size *= static_cast<std::uint64_t>(d);
  g.input_shape = shape;
  g.is_binary64 = is_binary64;
  return g;
}

// The values separated by spaces, or the error's text.
std::string read(const std::string& bytes, const std::string& name, const Graph& g, const std::string& layout = "") {
  try {
    std::string text;
    for (std::uint64_t bits : parse_array(Bytes(bytes.begin(), bytes.end()), name, g, layout)) {
      double value = 0;
      float narrow = 0;
      const std::uint32_t low = static_cast<std::uint32_t>(bits);
      std::memcpy(&value, &bits, 8);
      std::memcpy(&narrow, &low, 4);
      char shown[40];
      std::snprintf(shown, sizeof shown, "%.17g ", g.is_binary64 ? value : static_cast<double>(narrow));
      text += shown;
    }
    if (!text.empty()) text.pop_back();
    return text;
  } catch (const ReadError& error) {
    return error.what();
  }
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class T>
std::string raw(std::vector<T> values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string text = "\x93NUMPY";
  text +=
      {static_cast<char>(version), '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  if (version > 1) text += std::string(2, '\0');
  return text + header + data;
}

std::string head(const std::string& type, const std::string& shape, const char* fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }   \n";
}

const Graph pair = graph({1, 2});

}  // namespace

TEST_CASE("npy: element types, versions, orders") {
  CHECK(read(npy(head("<f4", "(1, 2)"), raw<float>({0.1f, -2})), "a.npy", pair) == "0.10000000149011612 -2");
  CHECK(read(npy(head("<f4", "(1, 2)"), raw<float>({0.1f, -0.0f}), 2), "a.NPY", pair) == "0.10000000149011612 -0");
  CHECK(read(npy(head("<f8", "(2,)"), raw<double>({0.5, 3}), 3), "a.npy", pair) == "0.5 3");
  CHECK(read(npy(head("<f8", "(2,)"), raw<double>({0.1, 3})), "a.npy", graph({2}, true)) == "0.10000000000000001 3");
  CHECK(read(npy(head("<f4", "(2,)"), raw<float>({0.1f, 3})), "a.npy", graph({2}, true)) == "0.10000000149011612 3");
  CHECK(read(npy(head("|u1", "(2,)"), raw<std::uint8_t>({7, 255})), "a.npy", pair) == "7 255");
  CHECK(read(npy(head("|i1", "(2,)"), raw<std::int8_t>({-7, 127})), "a.npy", pair) == "-7 127");
  CHECK(read(npy(head("<i2", "(2,)"), raw<std::int16_t>({-300, 1})), "a.npy", pair) == "-300 1");
  CHECK(read(npy(head("<u4", "(2,)"), raw<std::uint32_t>({4294967040u, 1})), "a.npy", pair) == "4294967040 1");
  CHECK(read(npy(head("<i8", "(2,)"), raw<std::int64_t>({-(std::int64_t{1} << 62), 1})), "a.npy", pair) ==
        "-4.6116860184273879e+18 1");
  CHECK(read(npy(head("<u8", "()"), raw<std::uint64_t>({std::uint64_t{1} << 63})), "a.npy", graph({1})) ==
        "9.2233720368547758e+18");
  const std::string six = raw<float>({0, 1, 2, 3, 4, 5});
  CHECK(read(npy(head("<f4", "(2, 3)"), six), "a.npy", graph({2, 3})) == "0 1 2 3 4 5");
  CHECK(read(npy(head("<f4", "(2, 3)", "True"), six), "a.npy", graph({2, 3})) == "0 2 4 1 3 5");
  CHECK(read(npy(head("<f4", "(1, 2, 1, 3)", "True"), six), "a.npy", graph({1, 2, 3})) == "0 2 4 1 3 5");
  CHECK(read(npy("{'shape':(2,),'descr':'<f4','fortran_order':False}", raw<float>({1, 2})), "a.npy", pair) == "1 2");
  CHECK(read(npy("{ \"shape\" : ( 2 , ) , 'descr' :'<f4',\n'fortran_order': False}", raw<float>({1, 2})), "a.npy",
             pair) == "1 2");
  // The content tells the format, whatever the name says.
  for (const char* name : {"a.csv", "a.json", "a.pb", "a.png", "a.dat", "a"}) {
    CAPTURE(name);
    CHECK(read(npy(head("<f4", "(2,)"), raw<float>({1, 2})), name, pair) == "1 2");
  }
}

TEST_CASE("npy: refusals") {
  const auto two = raw<float>({1, 2});
  const auto with = [&](const std::string& header) { return read(npy(header, two), "a.npy", pair); };
  CHECK(has(read(npy(head("<f8", "(2,)"), raw<double>({0.1, 3})), "a.npy", pair), "no binary32 number"));
  CHECK(has(read(npy(head("<f8", "(2,)"), raw<double>({1e300, 3})), "a.npy", pair), "no binary32 number"));
  CHECK(has(read(npy(head("<i4", "(2,)"), raw<std::int32_t>({16777217, 3})), "a.npy", pair), "no binary32 number"));
  CHECK(has(
      read(npy(head("<i8", "(2,)"), raw<std::int64_t>({(std::int64_t{1} << 53) + 1, 3})), "a.npy", graph({2}, true)),
      "element type"));
  CHECK(has(read(npy(head("<u8", "(2,)"), raw<std::uint64_t>({~std::uint64_t{0}, 3})), "a.npy", graph({2}, true)),
            "element type"));
  CHECK(has(read(npy(head("<f4", "(2,)"), raw<std::uint32_t>({0x7f800000, 0})), "a.npy", pair), "not finite"));
  CHECK(has(read(npy(head("<f4", "(2,)"), raw<std::uint32_t>({0x7fc00001, 0})), "a.npy", pair), "not finite"));
  for (const char* type :
       {">f4", ">i2", "<i1", "<u1", "<f2", "<c8", "<U1", "|O", "|b1", "<f16", "f4", "=f4", "|f4", "", "<", "<M8[ns]"}) {
    CAPTURE(type);
    CHECK(has(with(head(type, "(2,)")), "expected"));
  }
  CHECK(has(with(head(">f4", "(2,)")), "big-endian"));
  for (const char* shape :
       {"(1,3)", "(2)", "(2", "2", "[2]", "(-2,)", "(2,,)", "(,)", "(0,)", "(1.0,2)", "(2L,)", "(1 2)", "((2,),)",
        "(4294967296, 4294967296)", "(99999999999999999999,)", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)"}) {
    CAPTURE(shape);
    CHECK(has(with(head("<f4", shape)), "a.npy: array.data"));
  }
  CHECK(has(with("{'descr': '<f4', 'shape': (2,)}"), "fortran_order"));
  CHECK(has(with("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"), "once"));
  CHECK(has(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}"), "once"));
  CHECK(has(with("{'descr\": '<f4', 'fortran_order': False, 'shape': (2,)}"), "expected :"));
  CHECK(has(with("{'Descr': '<f4', 'fortran_order': False, 'shape': (2,)}"), "unknown key"));
  CHECK(has(with("{'de\\x73cr': '<f4', 'fortran_order': False, 'shape': (2,)}"), "escapes"));
  CHECK(has(with("{'descr' '<f4', 'fortran_order': False, 'shape': (2,)}"), "expected :"));
  CHECK(has(with("{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}"), ", or }"));
  CHECK(has(read(std::string("\x93NUMPY\x02\0\x01\0\x01\0", 12) + std::string(65537, ' '), "a.npy", pair),
            "a longer header, limit 65536 bytes, raised by --limit header-bytes=N"));
  CHECK(has(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}"), "keys"));
  CHECK(has(with("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"), "True or False"));
  CHECK(has(with("{'descr': [('a','<f4')], 'fortran_order': False, 'shape': (2,)}"), "simple string"));
  CHECK(has(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x"), "behind"));
  CHECK(has(with("{'descr': '<f4"), "expected"));
  CHECK(has(with(""), "expected"));
  CHECK(has(read(npy(head("<f4", "(2,)"), two + "x"), "a.npy", pair), "exactly the bytes"));
  CHECK(has(read(npy(head("<f4", "(2,)"), two.substr(1)), "a.npy", pair), "exactly the bytes"));
  CHECK(has(read(npy(head("<f4", "(2,)"), two, 9), "a.npy", pair), "version"));
  CHECK(has(read("\x93NUMPY\x01", "a.npy", pair), "expected"));
  CHECK(has(read(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12), "a.npy", pair), "header"));
  // Same number of elements in another order.
  const std::string twelve = raw<float>(std::vector<float>(12, 1));
  CHECK(has(read(npy(head("<f4", "(2, 2, 3)"), twelve), "a.npy", graph({1, 3, 2, 2})), "shape"));
  CHECK(has(read(npy(head("<f4", "(12,)"), twelve), "a.npy", graph({1, 3, 2, 2})), "1 1 1"));
  CHECK(has(read(npy(head("<f4", "(3, 2, 2)"), twelve), "a.npy", graph({1, 3, 2, 2})), "1 1 1"));
}

TEST_CASE("csv and json: decimals rounded to nearest even") {
  CHECK(read("0.1,-2\n", "a.csv", pair) == "0.10000000149011612 -2");
  CHECK(read(" 0.1 ,\t-2e0 \r\n", "a.csv", graph({2}, true)) == "0.10000000000000001 -2");
  CHECK(read("1\n\n2", "a.csv", pair) == "1 2");
  CHECK(read("1 2", "a.txt", pair) == "1 2");
  CHECK(read(" 1\t2 \r\n", "a.csv", pair) == "1 2");
  CHECK(read("1,2\n3,4", "a.csv", graph({1, 2, 2})) == "1 2 3 4");
  CHECK(has(read("1,2,3\n4,5,6", "a.csv", graph({3, 2})), "shape"));
  CHECK(has(read("1,2\n3", "a.csv", graph({3})), "lines of the same length"));
  for (const char* text : {"1,", "1,2,", ",1,2", "1,,2", "1;2", "1 # 2", "a,b", "1, ,2", "1 2,",
                           "\xef\xbb\xbf"
                           "1,2",
                           "1,2,3", "1", "1,nan", "1,1e39", "1,\n2", "0x1,2", "\"1\",2", ""}) {
    CAPTURE(text);
    CHECK(has(read(text, "a.csv", pair), "a.csv: array.data"));
  }
  CHECK(read("[[0.1, -2]]", "a.json", pair) == "0.10000000149011612 -2");
  CHECK(read(" [ [ [1], [2e0] ] ]\n", "a.json", pair) == "1 2");
  CHECK(read("[[1,2],[3,4]]", "a.json", graph({1, 2, 2})) == "1 2 3 4");
  CHECK(has(read("[[1,2,3],[4,5,6]]", "a.json", graph({3, 2})), "shape"));
  CHECK(read("[16777217, 0.5E-1]", "a.json", pair) == "16777216 0.05000000074505806");
  for (const char* text : {"[1,2,]",
                           "[1,,2]",
                           "[,1,2]",
                           "[1 2]",
                           "1,2",
                           "[1,2",
                           "[1,2]]",
                           "[1,2] x",
                           "[01,2]",
                           "[+1,2]",
                           "[.5,2]",
                           "[1.,2]",
                           "[1e,2]",
                           "[-,2]",
                           "[NaN,2]",
                           "[1e999,2]",
                           "[null,2]",
                           "[\"1\",2]",
                           "{\"a\":[1,2]}",
                           "[true,2]",
                           "[1,2,3]",
                           "",
                           "[",
                           "[]",
                           "[1e39,2]",
                           "[[1],2]",
                           "[1,[2]]",
                           "[1,2,[]]",
                           "[[],1,2]",
                           "[[],[1,2]]",
                           "[[[1]],[2]]",
                           "\xef\xbb\xbf[1,2]",
                           "[1,2e]",
                           "[1,2.]",
                           "[1, 2]]",
                           "[-01,2]",
                           "12"}) {
    CAPTURE(text);
    CHECK(has(read(text, "a.json", pair), "a.json: array.data"));
  }
  CHECK(has(read("[[1,2],[3]]", "a.json", graph({3})), "equal lengths"));
  CHECK(has(read(std::string("[1,2]\0", 6), "a.json", pair), "behind the array"));
  CHECK(has(read(std::string(65, '['), "a.json", pair), "limit 64 levels, raised by --limit array-depth=N"));
  CHECK(read(std::string(64, '[') + "1,2" + std::string(64, ']'), "a.json", pair) == "1 2");
}

TEST_CASE("tensors") {
  const auto tensor = [](const std::string& fields) { return read(fields, "a.pb", pair); };
  const std::string dims = std::string("\x08\x01\x08\x02"), is_float("\x10\x01"), is_double("\x10\x0b");
  CHECK(tensor(dims + is_float + "\x4a\x08" + raw<float>({0.1f, 2})) == "0.10000000149011612 2");
  CHECK(tensor(dims + is_float + "\x22\x08" + raw<float>({0.1f, 2})) == "0.10000000149011612 2");
  CHECK(tensor(dims + is_double + "\x4a\x10" + raw<double>({0.5, 2})) == "0.5 2");
  CHECK(has(tensor(dims + is_double + "\x4a\x10" + raw<double>({0.1, 2})), "no binary32 number"));
  CHECK(has(tensor(dims + is_float + "\x4a\x07" + raw<float>({0.1f, 2}).substr(1)), "a.pb: array.tensor"));
  CHECK(tensor(dims + "\x10\x07\x4a\x10" + raw<std::int64_t>({1, -2})) == "1 -2");
  CHECK(tensor(dims + "\x10\x03\x4a\x02\x80\x7f") == "-128 127");
  CHECK(tensor(dims + "\x10\x02\x4a\x02\x80\x7f") == "128 127");
  CHECK(tensor(dims + "\x10\x03\x28\x05\x28\x7f") == "5 127");
  CHECK(tensor(dims + "\x10\x03\x2a\x02\x05\x7f") == "5 127");
  CHECK(tensor(dims + "\x10\x0d\x4a\x10" + raw<std::uint64_t>({std::uint64_t{1} << 63, 2})) ==
        "9.2233720368547758e+18 2");
  CHECK(has(tensor(dims + "\x10\x03\x2a\x03\x05\x80\x01"), "cannot hold"));  // 128 as int8
  CHECK(has(tensor(dims + "\x10\x07\x4a\x10" + raw<std::int64_t>({1, 16777217})), "no binary32 number"));
  CHECK(has(tensor(dims + "\x10\x0a\x4a\x04zzzz"), "element type"));                      // float16
  CHECK(has(tensor(dims + std::string("\x10\x09\x4a\x02\x00\x01", 6)), "element type"));  // bool
  CHECK(has(tensor(dims + is_float + "\x4a\x08" + raw<float>({0.1f, 2}) + "\x25" + raw<float>({1})), "one source"));
  CHECK(has(tensor(dims + is_float), "number of elements"));
  const std::string floats = "\x4a\x08" + raw<float>({0.1f, 2}), empty("\x22\x00\x2a\x00\x3a\x00\x52\x00\x5a\x00", 10);
  CHECK(tensor(dims + is_float + floats + empty) == "0.10000000149011612 2");  // packed fields without a number
  CHECK(has(tensor(dims + is_float + floats + std::string("\x32\x00", 2)), "one source"));  // one empty string
  CHECK(has(tensor(dims + is_float + is_float + floats), "given twice"));
  CHECK(has(tensor(dims + is_float + floats + floats), "given twice"));
  CHECK(has(tensor(dims + is_float + "\x52\x10" + raw<double>({0.5, 2})), "one source"));
  CHECK(has(tensor("\x08\x03" + is_float + "\x4a\x0c" + raw<float>({1, 2, 3})), "wrong number of values"));
  CHECK(has(tensor(dims + is_float + "\x70\x01\x4a\x08" + raw<float>({0.1f, 2})), "external"));
  CHECK(has(tensor(is_float + "\x4a\x08" + raw<float>({0.1f, 2})), "a.pb"));
  CHECK(has(tensor("garbage"), "a.pb"));
}

TEST_CASE("images") {
  CHECK(read("P2\n# made by hand\n2 1 # width, height\n255\n0 17\n", "a.pgm", pair) == "0 17");
  CHECK(read("P5 2 1 255\n\x01\xff", "a.pgm", pair) == "1 255");
  CHECK(read(std::string("P5 2 1 65535\n\x01\x02\0\x03", 17), "a.pgm", pair) == "258 3");
  const std::string colour = "P3 2 1 9 1 2 3 4 5 6";
  CHECK(read(colour, "a.ppm", graph({1, 3, 1, 2})) == "1 4 2 5 3 6");
  CHECK(read(colour, "a.ppm", graph({1, 1, 2, 3})) == "1 2 3 4 5 6");
  CHECK(read(colour, "a.ppm", graph({3, 1, 2})) == "1 4 2 5 3 6");
  CHECK(read(colour, "a.ppm", graph({1, 3, 1, 2}), "nchw") == "1 4 2 5 3 6");
  CHECK(has(read(colour, "a.ppm", graph({1, 3, 1, 2}), "nhwc"), "shape of the image"));
  CHECK(has(read(colour, "a.ppm", graph({1, 1, 2, 3}), "nchw"), "shape of the image"));
  CHECK(has(read(colour, "a.ppm", graph({1, 6})), "expected --layout"));
  CHECK(read(colour, "a.ppm", graph({1, 6}), "nchw") == "1 4 2 5 3 6");
  CHECK(read(colour, "a.ppm", graph({1, 6}), "nhwc") == "1 2 3 4 5 6");
  CHECK(has(read(colour, "a.ppm", graph({1, 3, 2})), "1 4 2 5 3 6"));  // dimensions of 1 carry no order
  CHECK(has(read(colour, "a.ppm", graph({1, 2, 1, 3})), "1 2 3 4 5 6"));
  std::string cube = "P3 3 3 99";
  for (int i = 0; i < 27; ++i) cube += " " + std::to_string(i);
  CHECK(has(read(cube, "a.ppm", graph({1, 3, 3, 3})), "expected --layout"));
  CHECK(has(read(cube, "a.ppm", graph({3, 3, 3})), "expected --layout"));
  CHECK(has(read(cube, "a.ppm", graph({1, 3, 3, 3}), "nchw"), "0 3 6 9 12 15 18 21 24 1 4 7"));
  CHECK(has(read(cube, "a.ppm", graph({1, 3, 3, 3}), "nhwc"), "0 1 2 3 4 5 6"));
  CHECK(read("P2 2 1 9 1 2", "a.pgm", pair, "nchw") == "1 2");
  CHECK(read("P2 2 1 9 1 2", "a.pgm", pair, "nhwc") == "1 2");
  CHECK(read("P2\v2\f1 0000000000000000000000000009 1#c\n2#c", "b.dat", pair) == "1 2");
  CHECK(has(read("P2 2 2 9 1 2 3 4", "a.pgm", graph({1, 1, 4, 1})), "1 2 3 4"));
  CHECK(has(read("P2 2 3 9 1 2 3 4 5 6", "a.pgm", graph({1, 1, 2, 3})), "shape"));
  for (const char* text : {"P1 2 1 0 1",
                           "P4 2 1 0 1",
                           "P7 2 1 0 1",
                           "P2#\n2 1 9 1 2",
                           "P5 2 1 9#c\n12",
                           "P2 2 1 9 1 99999999999999999999",
                           "P2 2 1 9 1",
                           "P2 65536 1 9 1 2",
                           "P2 2 1 9 1 2 3",
                           "P2 2 1 9 1 10",
                           "P2 2 1 70000 1 2",
                           "P2 2 1 0 0 0",
                           "P2 0 1 9 1",
                           "P2 2 1",
                           "P2 -2 1 9 1 2",
                           "P5 2 1 9\n1",
                           "P5 2 1 255\n123",
                           "P5 2 1 9\n\x01\x0a",
                           "P5 99999 99999 255\n1",
                           "P22 1 9 1 2",
                           "P",
                           "",
                           "P8 2 1 9 1 2",
                           "p2 2 1 9 1 2"}) {
    CAPTURE(text);
    CHECK(has(read(text, "a.pgm", pair), "a.pgm: array.data"));
  }
  for (const char* name : {"a.png", "a.CSV", "a.pgm", "a.gz", "noending"}) {
    CAPTURE(name);
    CHECK(has(read("\x89PNG\r\n", name, pair), "unknown kind of file"));
    CHECK(has(read("1,2", name, pair), "unknown kind of file"));
    CHECK(has(read("", name, pair), "unknown kind of file"));
    CHECK(has(read("PK\x03\x04...", name, pair), "zip archives"));
  }
  CHECK(has(read("PK\x03\x04...", "a.csv", pair), "zip archives"));
}

TEST_CASE("gzipped files") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "outward_arrays_test";
  std::filesystem::create_directories(folder);
  const auto from = [&](const char* name, const std::string& bytes) {
    std::ofstream((folder / name), std::ios::binary) << bytes;
    try {
      return read_array((folder / name).string(), pair, "").size();
    } catch (const ReadError& error) {
      CHECK(has(error.what(), "outward_arrays_test/a"));
      return std::size_t{0};
    }
  };
  // "1,2\n" in a stored block.
  const std::string packed(
      "\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x04\0\xfb\xff"
      "1,2\n3B!U\x04\0\0\0",
      27);
  CHECK(from("a.csv", "1,2\n") == 2);
  CHECK(from("a.csv", packed) == 2);
  CHECK(from("a.csv.gz", packed) == 2);
  CHECK(from("a.csv.gz", "1,2\n") == 0);  // only what is packed loses the ending
  CHECK(from("a.gz", packed) == 0);
  CHECK(from("a.csv", packed.substr(0, 26)) == 0);
  CHECK(from("a.csv", packed + packed) == 0);
  std::filesystem::remove_all(folder);
}

TEST_CASE("outside hostile arrays") {
  const char* variable = std::getenv("OUTWARD_CASES");
  const std::filesystem::path cases =
      variable != nullptr ? variable : std::string(OUTWARD_SOURCE_DIR) + "/../shared/cases";
  std::ifstream expected(cases / "hostile" / "expected.csv");
  if (!expected) {
    MESSAGE("SKIPPED: no outside cases (OUTWARD_CASES)");
    return;
  }
  std::string line;
  int seen = 0;
  while (std::getline(expected, line)) {
    const std::string name = line.substr(0, line.find(','));
    if (name.size() < 4 || name.substr(name.size() - 4) != ".npy") continue;
    std::string found = "accepted";
    try {
      const std::vector<std::uint64_t> bits = read_array((cases / "hostile" / name).string(), pair, "");
      CHECK(bits == std::vector<std::uint64_t>{0x3e800000, 0x3f000000});
    } catch (const ReadError& error) {
      found = "refused";
    }
    CAPTURE(line);
    CHECK((has(line, "," + found + ",") || has(line, ",either,")));
    ++seen;
  }
  CHECK(seen >= 15);
}

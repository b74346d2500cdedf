// The centre files of both programs: the checker's readers and the prover's share no code, and must accept the same
// bytes with the same meaning, or both refuse them. Every format, with the shapes and layouts that change its order.
#include "checker/translate/arrays.hpp"

#include <doctest/doctest.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "importers/arrays/arrays.hpp"
#include "test/checker/png_writer.hpp"
#include "test/importers/png_bytes.hpp"

namespace {

using Bits = std::optional<std::vector<std::uint64_t>>;  // nothing: refused

outward_check::Graph graph_of(const std::vector<std::int64_t>& shape, bool is_binary64) {
  outward_check::Graph graph;
  graph.nodes.resize(1);
  graph.nodes[0].size = 1;
  for (std::int64_t d : shape) graph.nodes[0].size *= static_cast<std::uint64_t>(d);
  graph.input_shape = shape;
  graph.is_binary64 = is_binary64;
  return graph;
}

// Reads with both programs, by read_array of a file or parse_array of bytes, and CHECKs that they agree.
int accepted = 0, refused = 0;
template <class Checker, class Prover>
Bits both(const std::string& what, const Checker& checker, const Prover& prover) {
  Bits mine, other;
  std::string why;
  try {
    mine = checker();
  } catch (const outward_check::ReadError& error) {
    why = error.what();
  }
  try {
    other = prover();
  } catch (const outward::InputRefused& error) {
    why += std::string(" / ") + error.what();
  }
  CHECK_MESSAGE(mine == other, what << ": " << (mine ? "check accepts" : "check refuses") << " " << why);
  ++(mine ? accepted : refused);
  return mine;
}

outward::ArrayRequest request(const outward_check::Graph& graph, const std::string& layout) {
  return {graph.is_binary64 ? outward::ElementType::binary64 : outward::ElementType::binary32, graph.nodes[0].size,
          graph.input_shape, layout};
}

// All element types and layouts for one shape.
void same(const std::string& bytes, const std::string& name, const std::vector<std::int64_t>& shape) {
  for (bool is_binary64 : {false, true}) {
    const outward_check::Graph graph = graph_of(shape, is_binary64);
    for (const char* layout : {"", "nchw", "nhwc"}) {
      std::string what = name + " " + layout + ": ";
      for (char c : bytes.substr(0, 200)) what += c >= ' ' && c <= '~' ? c : '?';
      both(
          what,
          [&] {
            return outward_check::parse_array({bytes.begin(), bytes.end()}, name, graph, layout);
          },
          [&] { return outward::parse_array(bytes, name, request(graph, layout)); });
    }
  }
}

void same_in_pair(const std::string& bytes, const std::string& name) { same(bytes, name, {1, 2}); }

template <class T>
std::string raw(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::string npy(const std::string& header, const std::string& data) {
  const std::string size = {static_cast<char>(header.size()), static_cast<char>(header.size() >> 8)};
  return std::string("\x93NUMPY\x01\0", 8) + size + header + data;
}

std::string head(const std::string& type, const std::string& shape, const char* fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", } \n";
}

// By libpng, which chooses filters and compression.
std::string libpng(std::uint32_t width, std::uint32_t height, int colour, int depth, bool interlaced) {
  const std::uint32_t line = width * (colour == PNG_COLOR_TYPE_RGB ? 3 : 1) * static_cast<std::uint32_t>(depth) / 8;
  std::vector<unsigned char> pixels(line * height);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<unsigned char>(i * i / 50 + i * 3);
  return outward::testing::png_bytes(width, height, colour, depth, std::move(pixels), interlaced, true);
}

}  // namespace

TEST_CASE("centres: npy") {
  const std::string two = raw<float>({0.1f, -0.0f});
  same_in_pair(npy(head("<f4", "(1, 2)"), two), "a.npy");
  same_in_pair(npy("{ \"shape\" : ( 2 , ) , 'descr' :'<f4',\n'fortran_order': False}", two), "a.csv");
  same_in_pair(npy(head("<f4", "(2, 1)", "True"), two), "a");
  same_in_pair(npy(head("<f8", "(2,)"), raw<double>({0.1, 2})), "a.npy");
  same_in_pair(npy(head("<f8", "(2,)"), raw<double>({1e-45, 1.401298464324817e-45})), "a.npy");
  same_in_pair(npy(head("<u8", "(2,)"), raw<std::uint64_t>({std::uint64_t{1} << 63, ~std::uint64_t{0}})), "a.npy");
  for (const char* type : {"|u1", "|i1", "<i1", "<u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", ">i4", "<f2", "|b1"}) {
    for (std::size_t width : {1, 2, 4, 8})
      same_in_pair(npy(head(type, "(2,)"), std::string(width * 2, '\x81')), "a.npy");
  }
  for (const char* shape :
       {"(2)", "(2,,)", "(0,)", "(00000000000000000000000002,)", "(1, 2", "[2]", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)"})
    same_in_pair(npy(head("<f4", shape), two), "a.npy");
  for (const char* header :
       {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "{'descr': '<f4', 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}", "{", "",
        "{'descr': '<f4', 'fortran_order': Falsex, 'shape': (2,)}",
        "{'descr': '<f4',, 'fortran_order': False, 'shape': (2,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}"})
    same_in_pair(npy(header, two), "a.npy");
  const std::string twelve = raw<float>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  for (const char* shape : {"(12,)", "(3, 2, 2)", "(2, 2, 3)", "(1, 2, 1, 3, 2)", "(6, 2)"}) {
    for (const char* fortran : {"True", "False"}) {
      for (const std::vector<std::int64_t>& input :
           std::vector<std::vector<std::int64_t>>{{12}, {1, 3, 2, 2}, {2, 3, 2}, {6, 2}})
        same(npy(head("<f4", shape, fortran), twelve), "a.npy", input);
    }
  }
}

TEST_CASE("centres: text") {
  for (const char* text : {"0.1,-2",
                           "0.1 -2e0",
                           " 1 ,\t2 \r\n",
                           "1\n\n2",
                           "1\n2\n",
                           "1,",
                           ",1",
                           "1,,2",
                           "1, ,2",
                           "1,2,",
                           "1,2\n3",
                           "1;2",
                           "a,b",
                           "nan,1",
                           "1e39,2",
                           "0x1,2",
                           "1e400,1",
                           "1e-400,-0",
                           "",
                           "\n",
                           "1",
                           "1,2,3",
                           "+1,.5",
                           "1.,2",
                           "-.5e-1,1e+2",
                           "1e,2",
                           "--1,2",
                           "1e20001,2",
                           "1e-20001,2",
                           "16777217,2",
                           "1\v2",
                           "\xef\xbb\xbf"
                           "1,2"}) {
    same_in_pair(text, "a.csv");
    same_in_pair(text, "a.txt");
    same_in_pair(text, "a.dat");
    same_in_pair(text, "a.CSV");
    same_in_pair("[" + std::string(text) + "]", "a.json");
  }
  same_in_pair(std::string("1,2\0", 4), "a.csv");
  same_in_pair(std::string("[1,2]\0", 6), "a.json");
  same_in_pair(std::string("[1,2]\0]", 7), "a.json");
  for (const char* text : {"[[0.1, -2]]",
                           "[[1],[2]]",
                           "[[[1],[2]]]",
                           "[[1],2]",
                           "[1,[2]]",
                           "[1,2,[]]",
                           "[[],1,2]",
                           "[[1,2],[]]",
                           "[1,2,]",
                           "[,1,2]",
                           "[1 2]",
                           "[1,2",
                           "[1,2]]",
                           "[01,2]",
                           "[-0,-0.0]",
                           "[-01,2]",
                           "[null,1]",
                           "[true,1]",
                           "{\"a\":[1]}",
                           "[\"1\",2]",
                           "[1e999,2]",
                           "1",
                           "",
                           "[]",
                           "[[[]]]",
                           "[1E5,1e+5]",
                           "[NaN,1]",
                           "[1,2]x",
                           "\xef\xbb\xbf[1,2]",
                           "[1,2] \n",
                           "[1,2]//x",
                           "[1.5e,2]",
                           "[18446744073709551617,1]",
                           "[1,2e308]",
                           "[1,1e-500]",
                           "[1,1.7976931348623159e308]"})
    same_in_pair(text, "a.json");
  for (std::size_t depth : {63, 64, 65, 300})
    same_in_pair(std::string(depth, '[') + "1,2" + std::string(depth, ']'), "a.json");
  for (const std::vector<std::int64_t>& input :
       std::vector<std::vector<std::int64_t>>{{6}, {3, 2}, {1, 2, 3}, {2, 3, 1}}) {
    same("1,2,3\n4,5,6", "a.csv", input);
    same("[[1,2,3],[4,5,6]]", "a.json", input);
    same("[[[1],[2],[3]],[[4],[5],[6]]]", "a.json", input);
  }
}

TEST_CASE("centres: tensors") {
  using Tensor = onnx::TensorProto;
  for (int type = 0; type < 18; ++type) {
    Tensor t;
    t.add_dims(1), t.add_dims(2), t.set_data_type(type);
    same_in_pair(t.SerializeAsString(), "a.pb");
    for (std::size_t width : {1, 2, 4, 8}) {
      for (char fill : {'\0', '\x01', '\x3f', '\x81', '\xff'}) {
        Tensor r = t;
        r.set_raw_data(std::string(width * 2, fill));
        same_in_pair(r.SerializeAsString(), "a.pb");
      }
    }
    for (std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{127}, std::int64_t{-129},
                               std::int64_t{65536}, std::int64_t{1} << 33}) {
      Tensor f = t, d = t, i = t, l = t, u = t;
      for (int k = 0; k < 2; ++k) {
        f.add_float_data(static_cast<float>(value));
        d.add_double_data(static_cast<double>(value) / 10);
        i.add_int32_data(static_cast<std::int32_t>(value));
        l.add_int64_data(value);
        u.add_uint64_data(static_cast<std::uint64_t>(value));
      }
      for (Tensor* typed : {&f, &d, &i, &l, &u}) {
        same_in_pair(typed->SerializeAsString(), "a.pb");
        typed->set_name("x"), typed->set_doc_string("y");
        same_in_pair(typed->SerializeAsString(), "a.pb");
        typed->add_float_data(1);
        same_in_pair(typed->SerializeAsString(), "a.pb");
      }
    }
  }
  Tensor t;
  t.add_dims(2), t.set_data_type(Tensor::FLOAT), t.add_float_data(1), t.add_float_data(2);
  const std::string bytes = t.SerializeAsString();
  for (std::size_t size = 0; size < bytes.size(); ++size) same_in_pair(bytes.substr(0, size), "a.pb");
  same_in_pair(bytes + "\x70\x01", "a.pb");                // external
  same_in_pair(bytes + "\x70\x05", "a.pb");                // an unknown location
  same_in_pair(bytes + "\xf8\x7f\x01", "a.pb");            // field 2047
  same_in_pair(bytes + std::string("\x1a\0", 2), "a.pb");  // a segment
  same(bytes, "a.pb", {3});
  t.set_dims(0, -2);
  same_in_pair(t.SerializeAsString(), "a.pb");
}

TEST_CASE("centres: images") {
  std::string cube = "P3 3 3 255", packed = "P6 3 3 255\n";
  for (int i = 0; i < 27; ++i) cube += " " + std::to_string(i * 9), packed += static_cast<char>(i * 9);
  const std::vector<std::vector<std::int64_t>> shapes = {{1, 3, 3, 3}, {3, 3, 3},    {27},        {1, 27},
                                                         {9, 3},       {1, 3, 9, 1}, {1, 9, 1, 3}};
  for (const auto& shape : shapes) {
    for (const std::string& file : {cube, packed}) same(file, "a.ppm", shape);
    same(png_test::png(png_test::header(3, 3, 8, 2), png_test::scan_lines(packed.substr(11), 3, 3, false, {0, 4, 1})),
         "a.png", shape);
  }
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{
           {1, 3, 2, 1}, {1, 3, 1, 2}, {1, 1, 2, 3}, {1, 2, 1, 3}, {3, 2}, {2, 3}, {6}}) {
    same("P3 2 1 9 1 2 3 4 5 6", "a.ppm", shape);
    same("P3 1 2 9 1 2 3 4 5 6", "b.dat", shape);
    same("P2 3 2 9 1 2 3 4 5 6", "a.pgm", shape);
    same("P2 2 3 9 1 2 3 4 5 6", "a.csv", shape);
  }
  for (const char* text : {"P2 2 1 9 1 2",
                           "P2\n#c\n2 1#d\n9 1#e\n2 #f",
                           "P5 2 1 255\n\x01\xff",
                           "P5 2 1 9\n\x01\x0a",
                           "P5 2 1 9#\n12",
                           "P2\v2\f1 009 1 2",
                           "P22 1 9 1 2",
                           "P2#\n2 1 9 1 2",
                           "P1 2 1 0 1",
                           "P4 2 1 1",
                           "P7 2",
                           "P8 2",
                           "P0",
                           "P",
                           "P2",
                           "P2 2 1 0 0 0",
                           "P2 0 1 9 1",
                           "P2 65536 1 9 1 2",
                           "P2 2 1 65536 1 2",
                           "P2 2 1 9 1 10",
                           "P2 2 1 9 1 2 3",
                           "P2 2 1 9 1",
                           "P2 -2 1 9 1 2",
                           "P5 2 1 9\n123",
                           "P5 2 1 9\n1",
                           "P5 2 1 9",
                           "P2 99999999999999999999999 1 9 1 2",
                           "P5 2 1 300\n\x01\x01\x01\x01",
                           "P5 2 1 300\n\x01\xff\x01\x01"})
    same_in_pair(text, "a.pgm");
}

TEST_CASE("centres: PNG") {
  using namespace png_test;
  for (std::uint32_t width : {1u, 2u, 5u, 8u, 33u}) {
    for (std::uint32_t height : {1u, 3u, 9u, 40u}) {
      for (int kind = 0; kind < 8; ++kind) {
        const bool colour = (kind & 1) != 0;
        const std::int64_t channels = colour ? 3 : 1;
        const std::string file = libpng(width, height, colour ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
                                        (kind & 2) != 0 ? 16 : 8, (kind & 4) != 0);
        same(file, "a.png", {1, channels, height, width});
        const auto graph = graph_of({1, channels, height, width}, false);
        CHECK(outward_check::parse_array({file.begin(), file.end()}, "a", graph, "nchw").size() == graph.nodes[0].size);
      }
    }
  }
  const std::string ihdr = header(2, 1, 8, 0), lines("\0\x07\xff", 3), data = stored(lines), idat = chunk("IDAT", data);
  const std::string good = mark + ihdr + idat + end, text = chunk("tEXt", "ab"), palette = chunk("PLTE", "abcdef");
  same_in_pair(good, "a.csv");
  for (std::size_t size = 0; size < good.size(); ++size) same_in_pair(good.substr(0, size), "a.png");
  for (std::size_t bit = 0; bit < good.size() * 8; bit += 3) {
    std::string broken = good;
    broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ 1 << bit % 8);
    same_in_pair(broken, "a.png");
  }
  for (std::size_t bit = 0; bit < data.size() * 8; ++bit) {
    std::string broken = data;
    broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ 1 << bit % 8);
    same_in_pair(mark + ihdr + chunk("IDAT", broken) + end, "a.png");
  }
  std::string bad_text = text, long_text = chunk("tEXt", "k" + std::string(2 << 20, '\0'));
  bad_text[9] ^= 1;
  for (const std::string& file :
       {mark + ihdr + text + idat + text + end,
        mark + text + ihdr + idat + end,
        mark + ihdr + bad_text + idat + end,
        mark + ihdr + idat + bad_text + end,
        mark + ihdr + long_text + idat + end,
        mark + ihdr + ihdr + idat + end,
        mark + ihdr + idat + ihdr + end,
        mark + idat + end,
        mark + ihdr + end,
        mark + ihdr + idat,
        good + "x",
        good + end,
        mark + ihdr + palette + idat + end,
        mark + ihdr + idat + palette + end,
        mark + ihdr + chunk("tRNS", "ab") + idat + end,
        mark + ihdr + chunk("tRNS", "a") + idat + end,
        mark + ihdr + idat + chunk("tRNS", "ab") + end,
        mark + ihdr + chunk("ABcD", "") + idat + end,
        mark + ihdr + idat + chunk("ABcD", "") + end,
        mark + ihdr + chunk("abCD", "") + idat + end,
        mark + ihdr + chunk("1234", "") + idat + end,
        mark + ihdr + chunk("gAMA", "x") + chunk("gAMA", "y") + chunk("iCCP", "z") + chunk("cHRM", "") + idat + end,
        mark + ihdr + idat + chunk("IEND", "x"),
        mark + ihdr + idat + chunk("IDAT", "x") + end,
        mark + ihdr + idat + chunk("IDAT", "") + end,
        mark + ihdr + chunk("IDAT", "") + idat + end,
        mark + ihdr + idat + chunk("IDAT", "") + chunk("IDAT", "x") + end,
        mark + ihdr + chunk("IDAT", "") + text + idat + end,
        mark + ihdr + idat + text + chunk("IDAT", "") + end,
        mark + ihdr + idat + text + chunk("IDAT", "x") + end,
        mark + ihdr + chunk("IDAT", data + "x") + end,
        mark + ihdr + chunk("IDAT", stored(lines + "x")) + end,
        mark + ihdr + chunk("IDAT", stored(std::string(99999, '\0'))) + end,
        mark + ihdr + chunk("IDAT", stored(lines.substr(0, 2))) + end,
        mark + ihdr + chunk("IDAT", stored("")) + end,
        mark + ihdr + chunk("IDAT", data.substr(0, 5)) + chunk("IDAT", data.substr(5)) + end,
        mark + ihdr + chunk("IDAT", data.substr(0, 5)) + text + chunk("IDAT", data.substr(5)) + end,
        mark + ihdr + chunk("IDAT", data.substr(0, data.size() - 2)) + chunk("IDAT", data.substr(data.size() - 2)) +
            end,
        mark + ihdr + chunk("IDAT", data.substr(0, data.size() - 2)) + end,
        png(header(2, 1, 8, 0, 1), lines),
        png(header(2, 1, 8, 0, 2), lines),
        png(header(2, 1, 8, 3), lines),
        png(header(2, 1, 8, 4), std::string(5, '\0')),
        png(header(2, 1, 4, 0), std::string(2, '\0')),
        png(header(2, 1, 8, 6), std::string(9, '\0')),
        png(header(2, 1, 8, 0), std::string("\x05\x07\xff", 3)),
        png(header(65536, 1, 8, 0), lines),
        png(header(65535, 65535, 16, 2), lines),
        png(header(0, 1, 8, 0), lines),
        png(header(0x80000002u, 1, 8, 0), lines)})
    same_in_pair(file, "a.png");
  const std::string colour = chunk("IDAT", stored(std::string("\0\x01\x02\x03", 4))), rgb = mark + header(1, 1, 8, 2);
  for (const std::string& file :
       {rgb + palette + colour + end, rgb + palette + palette + colour + end, rgb + colour + palette + end,
        rgb + chunk("PLTE", "") + colour + end, rgb + chunk("PLTE", "abcd") + colour + end,
        rgb + chunk("PLTE", std::string(768, 'x')) + colour + end,
        rgb + chunk("PLTE", std::string(771, 'x')) + colour + end, rgb + chunk("tRNS", "abcdef") + colour + end})
    same(file, "a.png", {3});
}

TEST_CASE("centres: files, gzipped or not") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "outward_cross_arrays";
  std::filesystem::create_directories(folder);
  const auto graph = graph_of({1, 2}, false);
  // "1,2\n" in a stored block.
  const std::string packed(
      "\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x04\0\xfb\xff"
      "1,2\n3B!U\x04\0\0\0",
      27);
  int read = 0;
  for (const std::string& bytes : {packed, packed.substr(0, 26), packed + "x", packed + packed, std::string("1,2\n")}) {
    for (const char* name : {"a.csv", "a.csv.gz", "a.txt.gz", "a.gz", "a.json.gz", "a.csv.GZ"}) {
      const std::string path = (folder / name).string();
      std::ofstream(path, std::ios::binary) << bytes;
      const Bits bits = both(
          name, [&] { return outward_check::read_array(path, graph, ""); },
          [&] { return outward::read_array(path, request(graph, "")); });
      read += bits.has_value();
    }
  }
  CHECK(read == 4);  // the whole member under three names, the plain text under one
  std::filesystem::remove_all(folder);
  CHECK(accepted > 300);
  CHECK(refused > 1000);
}

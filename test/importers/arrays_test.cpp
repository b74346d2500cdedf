// Points from files: npy, csv, json, TensorProto, PNG, PNM.
#include "importers/arrays/arrays.hpp"

#include <doctest/doctest.h>
#include <onnx/onnx_pb.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "test/importers/cases.hpp"
#include "test/importers/png_bytes.hpp"

using namespace outward;
using outward::testing::png_bytes;
using Bits = std::vector<std::uint64_t>;

namespace {

ArrayRequest request(std::uint64_t count, std::vector<std::int64_t> shape = {}, const std::string& layout = "",
                     ElementType element = ElementType::binary32) {
  return ArrayRequest{element, count, std::move(shape), layout};
}

Bits bits32(const std::vector<float>& values) {
  Bits bits;
  for (float v : values) bits.push_back(std::bit_cast<std::uint32_t>(v));
  return bits;
}

Bits bits64(const std::vector<double>& values) {
  Bits bits;
  for (double v : values) bits.push_back(std::bit_cast<std::uint64_t>(v));
  return bits;
}

template <class Number>
std::string raw(const std::vector<Number>& values) {
  std::string bytes(values.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string npy_header(const std::string& header, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 255U);
  return bytes + header;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data, bool fortran = false,
                int major = 1) {
  return npy_header("{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                        ", 'shape': " + shape + ", }   \n",
                    major) +
         data;
}

std::string code(const std::string& bytes, const ArrayRequest& wanted, const std::string& name = "a.npy") {
  try {
    parse_array(bytes, name, wanted);
    return "";
  } catch (const InputRefused& refused) {
    CHECK_FALSE(refused.blockers.at(0).what.empty());
    return refused.blockers.at(0).code;
  }
}

}  // namespace

TEST_CASE("npy: types, versions, shapes") {
  const std::string f4 = raw<float>({0.25f, -3.5f, 1e-45f, 0.0f, -0.0f, 3.4028235e38f});
  const Bits expected = bits32({0.25f, -3.5f, 1e-45f, 0.0f, -0.0f, 3.4028235e38f});
  for (int major : {1, 2, 3}) CHECK(parse_array(npy("<f4", "(6,)", f4, false, major), "a", request(6)) == expected);
  CHECK(parse_array(npy("<f4", "(1, 6)", f4), "a", request(6)) == expected);
  CHECK(parse_array(npy("<f4", "(2,3)", f4), "a", request(6, {1, 2, 3})) == expected);
  CHECK(parse_array(npy("<f4", "(6,)", f4), "a", request(6, {1, 2, 3})) == expected);
  CHECK(parse_array(npy("<f4", "()", raw<float>({7}), false), "a", request(1)) == bits32({7}));
  CHECK(parse_array(npy_header("{\"shape\":(6 , ) ,\n'fortran_order' : False,\"descr\":'<f4'}") + f4, "a",
                    request(6)) == expected);
  // Widening is exact, narrowing must be.
  CHECK(parse_array(npy("<f4", "(6,)", f4), "a", request(6, {}, "", ElementType::binary64)) ==
        bits64({0.25, -3.5, static_cast<double>(1e-45f), 0.0, -0.0, static_cast<double>(3.4028235e38f)}));
  const std::vector<double> narrow = {
      0.25, -3.5, static_cast<double>(1e-45f), static_cast<double>(-1.1754942e-38f), static_cast<double>(3.4028235e38f),
      -0.0};
  CHECK(parse_array(npy("<f8", "(6,)", raw(narrow)), "a", request(6)) ==
        bits32({0.25f, -3.5f, 1e-45f, -1.1754942e-38f, 3.4028235e38f, -0.0f}));
  CHECK(parse_array(npy("<f8", "(6,)", raw(narrow)), "a", request(6, {}, "", ElementType::binary64)) == bits64(narrow));
  for (double wrong : {0.1, 1e-46, 1e300, 3.4028236e38, 5e-324, 1.5 * static_cast<double>(1e-45f), 16777217.0}) {
    CHECK(code(npy("<f8", "(1,)", raw<double>({wrong})), request(1)) == "inexact-number");
    CHECK(parse_array(npy("<f8", "(1,)", raw<double>({wrong})), "a", request(1, {}, "", ElementType::binary64)) ==
          bits64({wrong}));
  }
  CHECK(parse_array(npy("|u1", "(3,)", raw<std::uint8_t>({0, 128, 255})), "a", request(3)) == bits32({0, 128, 255}));
  CHECK(parse_array(npy("|i1", "(3,)", raw<std::int8_t>({0, -128, 127})), "a", request(3)) == bits32({0, -128, 127}));
  CHECK(parse_array(npy("<u2", "(1,)", raw<std::uint16_t>({65535})), "a", request(1)) == bits32({65535}));
  CHECK(parse_array(npy("<i2", "(1,)", raw<std::int16_t>({-32768})), "a", request(1)) == bits32({-32768}));
  CHECK(parse_array(npy("<i4", "(1,)", raw<std::int32_t>({-2147483647 - 1})), "a", request(1)) ==
        bits32({-2147483648.0f}));
  CHECK(parse_array(npy("<i8", "(2,)", raw<std::int64_t>({std::numeric_limits<std::int64_t>::min(), -3})), "a",
                    request(2)) == bits32({-9223372036854775808.0f, -3}));
  CHECK(parse_array(npy("<u8", "(1,)", raw<std::uint64_t>({std::uint64_t{1} << 63})), "a", request(1)) ==
        bits32({9223372036854775808.0f}));
  CHECK(code(npy("<i4", "(1,)", raw<std::int32_t>({16777217})), request(1)) == "inexact-number");
  CHECK(code(npy("<u8", "(1,)", raw<std::uint64_t>({~std::uint64_t{0}})), request(1, {}, "", ElementType::binary64)) ==
        "inexact-number");
}

TEST_CASE("npy: Fortran order is permuted") {
  // Row-major 2x3 array 0 1 2 / 3 4 5 is stored column by column.
  CHECK(parse_array(npy("<f4", "(2, 3)", raw<float>({0, 3, 1, 4, 2, 5}), true), "a", request(6)) ==
        bits32({0, 1, 2, 3, 4, 5}));
  std::vector<float> file(24), expected(24);
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 3; ++b) {
      for (int c = 0; c < 4; ++c) {
        const float value = static_cast<float>(100 * a + 10 * b + c);
        file[static_cast<std::size_t>(a + 2 * (b + 3 * c))] = value;
        expected[static_cast<std::size_t>((a * 3 + b) * 4 + c)] = value;
      }
    }
  }
  CHECK(parse_array(npy("<f4", "(2, 3, 4)", raw(file), true), "a", request(24)) == bits32(expected));
}

TEST_CASE("npy: refusals") {
  const std::string two = raw<float>({1, 2});
  CHECK(code(npy("<f4", "(2,)", two), request(2)) == "");
  CHECK(code(npy("<f4", "(2,)", two), request(3)) == "wrong-count");
  CHECK(code(npy("<f4", "(2, 1, 3)", raw<float>({1, 2, 3, 4, 5, 6})), request(6, {3, 2})) == "wrong-shape");
  CHECK(code(npy("<f4", "(2,)", two.substr(1)), request(2)) == "truncated");
  CHECK(code(npy("<f4", "(2,)", two + "x"), request(2)) == "trailing-bytes");
  CHECK(code(npy(">f4", "(2,)", two), request(2)) == "big-endian");
  for (const char* descr : {"<f2", "<c8", "|b1", "<U1", "|S4", "|O", "f4", "=f4", "<f16", "<M8[s]", ""}) {
    CHECK(code(npy(descr, "(2,)", two), request(2)) == "unsupported-type");
  }
  CHECK(code(npy("<f4", "(2,)", raw<float>({1, std::numeric_limits<float>::infinity()})), request(2)) == "not-finite");
  CHECK(code(npy("<f8", "(1,)", raw<double>({std::numeric_limits<double>::quiet_NaN()})), request(1)) == "not-finite");
  for (const char* shape :
       {"2", "(2)", "(2,", "(2 2)", "[2]", "(-2,)", "(2.0,)", "(2L,)", "((2,),)", "(,)", "(+2,)", "(0x2,)", "None"}) {
    CHECK(code(npy("<f4", shape, two), request(2)) == "bad-header");
  }
  CHECK(code(npy("<f4", "(4294967296, 4294967296)", two), request(2)) == "too-many-elements");
  CHECK(code(npy("<f4", "(1, " + std::string(5000, '9') + ")", two), request(2)) == "too-many-elements");
  CHECK(code(npy("<f4", "(" + std::string(20000, '(') + ")", two), request(2)) == "bad-header");
  CHECK(code(npy("<f4", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)", two), request(2)) == "rank-too-large");
  CHECK(code(npy("<f4", "(0,)", ""), request(2)) == "wrong-count");
  const std::string good = "'descr': '<f4', 'fortran_order': False, 'shape': (2,)";
  CHECK(code(npy_header("{" + good + "}") + two, request(2)) == "");
  for (const std::string& header : std::vector<std::string>{
           "", good.c_str(), "{}", "{'descr': '<f4', 'shape': (2,)}", ("{" + good).c_str(),
           ("{" + good + "} x").c_str(), ("{" + good + ", 'x': 1}").c_str(), ("{" + good + ", 'descr': '<f4'}").c_str(),
           ("{" + good + ",,}").c_str(), "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
           "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, __import__('os').getpid())}"}) {
    CAPTURE(header);
    CHECK(code(npy_header(header) + two, request(2)) == "bad-header");
  }
  CHECK(code(npy_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}") + two, request(2)) ==
        "unsupported-type");
  CHECK(code(npy_header(std::string(70000, ' '), 2) + two, request(2)) == "header-too-large");
  CHECK(code(npy_header("{" + good + "}", 9) + two, request(2)) == "unsupported-version");
  CHECK(code(std::string("\x93NUMPY"), request(2)) == "truncated");
  CHECK(code(std::string("\x93NUMPY\x01\x00\xff\x00", 10), request(2)) == "truncated");
  CHECK(code(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), request(2)) == "header-too-large");
  CHECK(code(std::string("PK\x03\x04") + two, request(2)) == "npz-unsupported");
  CHECK(code("what is this", request(2)) == "unknown-array-format");
  CHECK(code("", request(2)) == "unknown-array-format");
}

TEST_CASE("csv and json: decimals are rounded once, to nearest even") {
  const Bits two = bits32({0.1f, -2.5f});
  for (const char* text : {"0.1,-2.5", "0.1, -2.5\n", "0.1\n-2.5\n", "0.1 -25e-1", "\n 0.1\t,\t-2.50 \r\n\r\n"}) {
    CAPTURE(text);
    CHECK(parse_array(text, "a.csv", request(2)) == two);
  }
  for (const char* text : {"[0.1,-2.5]", " [ [0.1] , [-2.5] ] ", "[[[0.1, -25e-1]]]\n"}) {
    CAPTURE(text);
    CHECK(parse_array(text, "a.json", request(2)) == two);
  }
  CHECK(parse_array("0.1,-2.5", "a.csv", request(2, {}, "", ElementType::binary64)) == bits64({0.1, -2.5}));
  // Double rounding would give 1: the decimal is above the midpoint of 1 and 1 + 2^-23 by less than binary64 resolves.
  CHECK(parse_array("[1.000000059604644775390626]", "a.json", request(1)) == bits32({std::nextafter(1.0f, 2.0f)}));
  CHECK(parse_array("1.000000059604644775390625", "a.csv", request(1)) == bits32({1.0f}));
  CHECK(parse_array("[18446744073709551616, -9007199254740993]", "a.json", request(2, {}, "", ElementType::binary64)) ==
        bits64({18446744073709551616.0, -9007199254740992.0}));
  CHECK(parse_array("1,2\n3,4", "a.csv", request(4, {1, 2, 2})) == bits32({1, 2, 3, 4}));

  CHECK(code("1,2\n3,4", request(4, {1, 4, 1, 1}), "a.csv") == "");
  CHECK(code("1,2,3\n4,5,6", request(6, {3, 2}), "a.csv") == "wrong-shape");
  CHECK(code("[[1,2,3],[4,5,6]]", request(6, {3, 2}), "a.json") == "wrong-shape");
  CHECK(code("1,2,3", request(2), "a.csv") == "wrong-count");
  CHECK(code("1", request(2), "a.csv") == "wrong-count");
  CHECK(code("", request(2), "a.csv") == "wrong-count");
  CHECK(code("1,2\n3", request(3), "a.csv") == "ragged-array");
  for (const char* text : {"1,", ",1", "1,,2", "a,b", "nan,1", "inf,1", "0x1,2", "\"1\",2", "1;2", "1 # 2"}) {
    CAPTURE(text);
    CHECK(code(text, request(2), "a.csv") == "bad-number");
  }
  CHECK(code("1e39,0", request(2), "a.csv") == "overflow");
  CHECK(code("1e39,0", request(2, {}, "", ElementType::binary64), "a.csv") == "");
  CHECK(code("\xef\xbb\xbf"
             "1,2",
             request(2), "a.csv") == "byte-order-mark");
  CHECK(code("\xef\xbb\xbf[1,2]", request(2), "a.json") == "byte-order-mark");
  for (const char* text : {"", "1", "null", "{}", "[1,null]", "[1,\"2\"]", "[1,true]", "[1,2", "[1,2]]", "[1,2] 3",
                           "[1,,2]", "[NaN,1]", "[1,2,]", "[1,1e999]", "[01,2]", "[{\"a\":1}]", "[1,+2]"}) {
    CAPTURE(text);
    CHECK(code(text, request(2), "a.json") == "bad-json");
  }
  CHECK(code(std::string("[1,2]\0", 6), request(2), "a.json") == "bad-json");
  CHECK(code("[1,2,3]", request(2), "a.json") == "wrong-count");
  CHECK(code("[]", request(2), "a.json") == "wrong-count");
  for (const char* text : {"[[1],2]", "[1,[2]]", "[[1,2],[3]]", "[[1],[[2]]]", "[[],[1]]", "[1,2,3,[]]"}) {
    CAPTURE(text);
    CHECK(code(text, request(3), "a.json") == "ragged-array");
  }
  CHECK(code(std::string(100000, '['), request(2), "a.json") == "too-deep");
}

TEST_CASE("TensorProto") {
  onnx::TensorProto t;
  t.set_data_type(onnx::TensorProto::FLOAT);
  t.add_dims(1);
  t.add_dims(2);
  t.add_float_data(0.25f);
  t.add_float_data(-1e-45f);
  CHECK(parse_array(t.SerializeAsString(), "a.pb", request(2)) == bits32({0.25f, -1e-45f}));
  onnx::TensorProto r = t;
  r.clear_float_data();
  r.set_raw_data(raw<float>({0.25f, -1e-45f}));
  CHECK(parse_array(r.SerializeAsString(), "a.pb", request(2)) == bits32({0.25f, -1e-45f}));
  const std::string floats = r.SerializeAsString(), empty("\x22\x00\x2a\x00\x3a\x00\x52\x00\x5a\x00", 10);
  CHECK(parse_array(floats + empty, "a.pb", request(2)) == bits32({0.25f, -1e-45f}));  // packed fields without a number
  for (const std::string& more :
       {std::string("\x10\x01"), "\x4a\x08" + raw<float>({0.25f, 1}), std::string("\x32\x00", 2)}) {
    CHECK(code(floats + more, request(2), "a.pb") == "bad-tensor");  // a field given twice, or a string
  }
  onnx::TensorProto i = t;
  i.clear_float_data();
  i.set_data_type(onnx::TensorProto::INT8);
  i.set_raw_data("\x80\x7f");
  CHECK(parse_array(i.SerializeAsString(), "a.pb", request(2)) == bits32({-128, 127}));
  i.clear_raw_data();
  i.add_int32_data(-5);
  i.add_int32_data(6);
  CHECK(parse_array(i.SerializeAsString(), "a.pb", request(2)) == bits32({-5, 6}));

  const auto refused = [](const onnx::TensorProto& tensor) {
    return code(tensor.SerializeAsString(), request(2), "a.pb");
  };
  onnx::TensorProto bad = i;
  bad.set_int32_data(0, 128);
  CHECK(refused(bad) == "bad-tensor");
  bad = t;
  bad.add_float_data(1);
  CHECK(refused(bad) == "bad-tensor");
  bad = r;
  bad.add_float_data(1);
  CHECK(refused(bad) == "bad-tensor");
  bad = r;
  bad.set_raw_data("1234567");
  CHECK(refused(bad) == "bad-tensor");
  bad = t;
  bad.set_dims(0, -1);
  CHECK(refused(bad) == "bad-tensor");
  bad = t;
  bad.set_dims(0, std::int64_t{1} << 62);
  CHECK(refused(bad) == "too-many-elements");
  bad = t;
  bad.set_data_type(onnx::TensorProto::FLOAT16);
  CHECK(refused(bad) == "unsupported-type");
  bad = t;
  bad.set_float_data(0, std::numeric_limits<float>::infinity());
  CHECK(refused(bad) == "not-finite");
  bad = t;
  bad.set_data_location(onnx::TensorProto::EXTERNAL);
  CHECK(refused(bad) == "external-data");
  bad = t;
  bad.set_dims(1, 3);
  bad.add_float_data(1);
  CHECK(refused(bad) == "wrong-count");
  CHECK(code("\xff\xff\xff", request(2), "a.pb") == "bad-tensor");
  CHECK(code(t.SerializeAsString() + "\xf8\x7f\x01", request(2), "a.pb") == "bad-tensor");  // field 2047
}

TEST_CASE("PNG") {
  const std::vector<unsigned char> rgb = {0,  1,  2,  10, 11, 12, 20, 21, 22,
                                          30, 31, 32, 40, 41, 42, 50, 51, 255};  // 2 rows of 3 pixels
  const Bits hwc = bits32({0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42, 50, 51, 255});
  const Bits chw = bits32({0, 10, 20, 30, 40, 50, 1, 11, 21, 31, 41, 51, 2, 12, 22, 32, 42, 255});
  const std::string image = png_bytes(3, 2, PNG_COLOR_TYPE_RGB, 8, rgb);
  CHECK(parse_array(image, "a.png", request(18, {}, "nhwc")) == hwc);
  CHECK(parse_array(image, "a.png", request(18, {}, "nchw")) == chw);
  CHECK(parse_array(image, "a.png", request(18, {1, 3, 2, 3})) == chw);
  CHECK(parse_array(image, "a.png", request(18, {1, 2, 3, 3})) == hwc);
  CHECK(parse_array(png_bytes(3, 2, PNG_COLOR_TYPE_RGB, 8, rgb, true), "a.png", request(18, {1, 3, 2, 3})) == chw);
  CHECK(code(image, request(18), "a.png") == "layout-missing");
  CHECK(code(image, request(18, {1, 18}), "a.png") == "layout-missing");
  CHECK(code(image, request(18, {1, 3, 3, 2}), "a.png") == "wrong-shape");
  CHECK(code(image, request(18, {1, 2, 3, 3}, "nchw"), "a.png") == "wrong-shape");
  CHECK(code(image, request(6), "a.png") == "wrong-count");
  CHECK(code(image + "x", request(18, {}, "nhwc"), "a.png") == "trailing-bytes");
  for (std::size_t length : {8U, 20U, 40U, 60U})
    CHECK(code(image.substr(0, length), request(18, {}, "nhwc"), "a.png") == "bad-image");
  std::string damaged = image;
  damaged[45] = static_cast<char>(damaged[45] ^ 0x55);
  CHECK(code(damaged, request(18, {}, "nhwc"), "a.png") == "bad-image");
  // What libpng would only warn of: a wrong checksum of a chunk that is skipped, chunks in front of or behind the
  // image.
  const std::string text("\0\0\0\1tEXtk\1\2\3\4", 13), unknown("\0\0\0\0ABcD\x4e\x93\x04\x07", 12);
  CHECK(code(image.substr(0, 33) + text + image.substr(33), request(18, {}, "nhwc"), "a.png") == "bad-image");
  CHECK(code(image.substr(0, image.size() - 12) + text + image.substr(image.size() - 12), request(18, {}, "nhwc"),
             "a.png") == "bad-image");
  CHECK(code(image.substr(0, 33) + unknown + image.substr(33), request(18, {}, "nhwc"), "a.png") == "bad-image");
  CHECK(parse_array(png_bytes(2, 1, PNG_COLOR_TYPE_GRAY, 16, {1, 0, 255, 255}), "a.png", request(2, {1, 1, 1, 2})) ==
        bits32({256, 65535}));
  CHECK(parse_array(png_bytes(2, 1, PNG_COLOR_TYPE_GRAY, 8, {7, 8}), "a.png", request(2)) == bits32({7, 8}));
  CHECK(code(png_bytes(2, 1, PNG_COLOR_TYPE_GRAY_ALPHA, 8, {7, 8, 9, 10}), request(2), "a.png") == "unsupported-image");
  CHECK(code(png_bytes(8, 1, PNG_COLOR_TYPE_GRAY, 1, {255}), request(8), "a.png") == "unsupported-image");
}

TEST_CASE("PGM and PPM") {
  CHECK(parse_array("P2 # c\n2 1\n255\n7 200 \n", "a.pgm", request(2)) == bits32({7, 200}));
  CHECK(parse_array(std::string("P5\n2 1 255\n\x07\xc8", 13), "a.pgm", request(2)) == bits32({7, 200}));
  CHECK(parse_array(std::string("P5 2 1 300\n\x01\x00\x00\x07", 15), "a.pgm", request(2)) == bits32({256, 7}));
  CHECK(parse_array("P3 2 1 9 1 2 3 4 5 6", "a.ppm", request(6, {1, 3, 1, 2})) == bits32({1, 4, 2, 5, 3, 6}));
  CHECK(parse_array("P6 1 1 255\nabc", "a.ppm", request(3, {}, "nhwc")) == bits32({97, 98, 99}));
  for (const char* text :
       {"P2 2 1 255 7", "P2 2 1 255 7 256", "P2 2 1 255 7 8 9", "P2 2 1 0 0 0", "P2 2 -1 255 7 8", "P2 70000 1 255 1",
        "P2", "P5 2 1 255", "P5 2 1 255\n1", "P5 2 1 255\n123", "P5 2 1 70000\n12", "P2 2 1 255 a b", "P2 0 1 255"}) {
    CAPTURE(text);
    CHECK(code(text, request(2), "a.pgm") == "bad-image");
  }
  CHECK(code("P5 4 1 50\n12zz", request(4), "a.pgm") == "bad-image");
  CHECK(code("P2 2 1 255 7 8", request(3), "a.pgm") == "wrong-count");
  CHECK(code("P22 1 255 7 8", request(2), "a.pgm") == "bad-image");
  CHECK(code("P4 8 1 \xff", request(8), "a.pbm") == "unsupported-image");
}

TEST_CASE("hostile arrays, for a model of two binary32 inputs") {
  const std::string folder = outward_test::cases_folder("hostile arrays");
  if (folder.empty()) return;
  int files = 0;
  for (const auto& row : outward_test::csv_rows(folder + "/hostile/expected.csv")) {
    const std::string& file = row.at("file");
    if (file.rfind("npy_", 0) != 0 && file.rfind("npz_", 0) != 0) continue;
    CAPTURE(file);
    bool accepted = true;
    Bits bits;
    try {
      bits = read_array(folder + "/hostile/" + file, ElementType::binary32, 2);
    } catch (const InputRefused&) {
      accepted = false;
    }
    if (row.at("expected") == "accepted") CHECK(bits == bits32({0.25f, 0.5f}));
    if (row.at("expected") == "refused") CHECK_FALSE(accepted);
    ++files;
  }
  CHECK(files >= 16);
}

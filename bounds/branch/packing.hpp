// Plain values as bytes for a Spool, and back. One process writes and reads them, and the spool sees to it that
// they are the same: nothing is distrusted here.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace outward {

class Packer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_array(&value, 1);
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    put(static_cast<std::uint32_t>(values.size()));
    put_array(values.data(), values.size());
  }
  std::vector<std::uint8_t> bytes;

 private:
  template <class T>
  void put_array(const T* values, std::size_t count) {
    const std::size_t at = bytes.size();
    bytes.resize(at + count * sizeof(T));
    if (count != 0) std::memcpy(bytes.data() + at, values, count * sizeof(T));
  }
};

class Unpacker {  // reads what Packer put, in the same order
 public:
  explicit Unpacker(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
  template <class T>
  T take() {
    T value;
    take_array(&value, 1);
    return value;
  }
  template <class T>
  std::vector<T> take_all() {
    std::vector<T> values(take<std::uint32_t>());
    take_array(values.data(), values.size());
    return values;
  }

 private:
  template <class T>
  void take_array(T* values, std::size_t count) {
    if (count != 0) std::memcpy(values, bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
  }
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace outward

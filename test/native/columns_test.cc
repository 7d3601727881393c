#include "model/columns.h"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace procscope {

namespace {

/// What a decoder must be able to read back, made without the encoder's help.
struct Packed {
  std::vector<int64_t> storage;
  std::span<std::byte> bytes;

  Packed(const ProcessTable& table, FieldMask asked) {
    const size_t size = encoded_size<ProcessRow>(table, process_columns(), asked);
    storage.resize(size / 8 + 1);
    bytes = {reinterpret_cast<std::byte*>(storage.data()), size};
    encode<ProcessRow>(table, process_columns(), asked, 4, bytes);
  }
  [[nodiscard]] int32_t word(size_t i) const {
    int32_t value = 0;
    std::memcpy(&value, bytes.data() + i * 4, 4);
    return value;
  }
  [[nodiscard]] std::map<std::string, size_t> directory() const {
    std::map<std::string, size_t> found;
    for (int i = 0; i < word(kWordColumns); ++i) {
      const auto number = static_cast<size_t>(word(kHeaderWords + 2 * static_cast<size_t>(i)));
      found[process_columns()[number].name] =
          static_cast<size_t>(word(kHeaderWords + 2 * static_cast<size_t>(i) + 1));
    }
    return found;
  }
  template <typename T>
  [[nodiscard]] T at(size_t offset) const {
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
};

ProcessTable two_rows() {
  ProcessTable table;
  table.blob = "onetwo";
  ProcessRow row;
  row.pid = 11;
  row.start_key = 0xfedcba9876543210ULL;
  row.name = {0, 3};
  table.rows.push_back(row);
  row.pid = 12;
  row.start_key = 5;
  row.name = {3, 3};
  table.rows.push_back(row);
  table.row_faults.push_back(
      {1, static_cast<uint8_t>(Field::kCwd), FaultKind::kDenied, Call::kReadlink, 13});
  return table;
}

}  // namespace

TEST_CASE("columns: values, text and faults stand where the header says") {
  const ProcessTable table = two_rows();
  const Packed packed(table, mask_of(Field::kStart, Field::kName));
  CHECK(packed.word(kWordMagic) == kMagic);
  CHECK(packed.word(kWordVersion) == kLayoutVersion);
  CHECK(packed.word(kWordRows) == 2);
  CHECK(packed.word(kWordExtra) == 4);
  const auto directory = packed.directory();
  CHECK(packed.at<int32_t>(directory.at("pid") + 4) == 12);
  CHECK(packed.at<uint64_t>(directory.at("startKey")) == 0xfedcba9876543210ULL);
  CHECK(packed.at<uint32_t>(directory.at("name") + 8) == 3);
  const auto blob = static_cast<size_t>(packed.word(kWordBlobOffset));
  CHECK(std::memcmp(packed.bytes.data() + blob, "onetwo", 6) == 0);
  CHECK(packed.word(kWordBlobLength) == 6);
  const auto fault = static_cast<size_t>(packed.word(kWordFaultOffset));
  CHECK(packed.word(kWordFaults) == 1);
  CHECK(packed.at<int32_t>(fault) == 1);
  CHECK(packed.at<int32_t>(fault + 4) ==
        (static_cast<int>(Field::kCwd) | static_cast<int>(FaultKind::kDenied) << 8 |
         static_cast<int>(Call::kReadlink) << 16));
  CHECK(packed.at<int32_t>(fault + 8) == 13);
}

TEST_CASE("columns: what was not asked for does not cross") {
  const auto directory = Packed(two_rows(), mask_of(Field::kName)).directory();
  CHECK(directory.contains("name"));
  CHECK_FALSE(directory.contains("startKey"));
  CHECK_FALSE(directory.contains("cwd"));
}

TEST_CASE("columns: each starts on its own 8-byte boundary and none overlaps the next") {
  for (const size_t rows : {size_t{0}, size_t{1}, size_t{3}, size_t{7}}) {
    ProcessTable table;
    table.rows.resize(rows);
    const Packed packed(table, kAllFields);
    size_t last_end = 0;
    std::map<size_t, size_t> by_offset;
    for (const Column<ProcessRow>& column : process_columns()) {
      constexpr size_t kWidth[] = {4, 4, 1, 8, 8, 8};
      const size_t offset = packed.directory().at(column.name);
      CHECK(offset % 8 == 0);
      by_offset[offset] =
          std::max(by_offset[offset], rows * kWidth[static_cast<size_t>(column.type())]);
    }
    for (const auto& [offset, size] : by_offset) {
      CHECK(offset >= last_end);
      last_end = offset + size;
    }
    CHECK(last_end <= packed.bytes.size());
  }
}

TEST_CASE("columns: every field has a name and gates a column") {
  for (int i = 0; i < kFields; ++i) {
    const auto field = static_cast<Field>(i);
    CHECK(std::string(field_name(field)).size() > 0);
    bool gates = field == Field::kKernelThread;  // It crosses in `flags`, which always does.
    for (const Column<ProcessRow>& column : process_columns()) {
      gates = gates || (column.fields & bit(field)) != 0;
    }
    CHECK_MESSAGE(gates, field_name(field));
  }
}

}  // namespace procscope

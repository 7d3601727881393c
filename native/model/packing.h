#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

/// How rows of any kind cross from native to JS: numeric columns, one blob of text, faults as small
/// records, in one buffer of little-endian words. lib/native/decode.ts reads it.
///
///   int32  header[kHeaderWords]      see HeaderWord
///   int32  directory[2 * columns]    (column number, byte offset), one pair a column that is there
///   ...    the columns, each on an 8-byte boundary, one value a row; a text is two uint32
///          (offset and length in the blob)
///   int32  faults[4 * faults]        row, field | kind << 8 | call << 16, code, 0
///   uint8  blob[]
namespace procscope {

static_assert(std::endian::native == std::endian::little,
              "columns cross as the machine has them; a big-endian machine needs a swap here");

/// A stretch of a table's blob.
struct TextRef {
  uint32_t offset = 0;
  uint32_t length = 0;
};

/// Which of the fields of a row: one bit each.
using FieldMask = uint32_t;

/// A fault on one field of one row. The path follows from what the row is, so it is not stored.
struct RowFault {
  uint32_t row = 0;
  uint8_t field = 0;
  FaultKind kind = FaultKind::kNone;
  Call call = Call::kNone;
  int32_t code = 0;
};

/// Rows of one kind, their texts and what could not be read of them.
template <typename Row>
struct Table {
  std::vector<Row> rows;
  std::vector<RowFault> row_faults;
  /// What kept the table as a whole from being complete.
  std::vector<Fault> faults;
  std::string blob;

  [[nodiscard]] std::string_view text(TextRef ref) const {
    return std::string_view(blob).substr(ref.offset, ref.length);
  }
  /// Appends text to the blob.
  TextRef put(std::string_view bytes) {
    const TextRef ref{static_cast<uint32_t>(blob.size()), static_cast<uint32_t>(bytes.size())};
    blob += bytes;
    return ref;
  }
};

template <typename Row>
using ColumnMember = std::variant<int32_t Row::*, uint32_t Row::*, uint8_t Row::*, double Row::*,
                                  uint64_t Row::*, TextRef Row::*>;

/// Order as in ColumnMember.
enum class ColumnType : uint8_t { kI32 = 0, kU32, kU8, kF64, kU64, kText };

template <typename Row>
struct Column {
  const char* name;
  /// The column crosses when any of these fields was asked for; 0 = always.
  FieldMask fields;
  ColumnMember<Row> member;

  [[nodiscard]] ColumnType type() const { return static_cast<ColumnType>(member.index()); }
  [[nodiscard]] bool crosses(FieldMask asked) const { return fields == 0 || (fields & asked) != 0; }
};

enum HeaderWord : uint8_t {
  kWordMagic = 0,
  kWordVersion,
  kWordRows,
  kWordFaults,
  kWordBlobOffset,
  kWordBlobLength,
  kWordFaultOffset,
  kWordColumns,
  kWordAsked,
  /// What a kind of table counts beside its rows.
  kWordExtra,
  kHeaderWords,
};

inline constexpr int32_t kMagic = 0x31435350;  // "PSC1"
inline constexpr int32_t kLayoutVersion = 2;
inline constexpr size_t kFaultWords = 4;

constexpr size_t align8(size_t n) { return (n + 7) & ~size_t{7}; }

constexpr size_t width_of(ColumnType type) {
  switch (type) {
    case ColumnType::kU8:
      return 1;
    case ColumnType::kI32:
    case ColumnType::kU32:
      return 4;
    default:
      return 8;
  }
}

template <typename Row>
size_t crossing_columns(std::span<const Column<Row>> columns, FieldMask asked) {
  size_t count = 0;
  for (const Column<Row>& column : columns) {
    count += column.crosses(asked) ? 1 : 0;
  }
  return count;
}

constexpr size_t head_size(size_t column_count) {
  return align8((kHeaderWords + 2 * column_count) * sizeof(int32_t));
}

/// Bytes that encode() will fill; 0 for a table whose parts do not fit 32-bit offsets.
template <typename Row>
size_t encoded_size(const Table<Row>& table, std::span<const Column<Row>> columns,
                    FieldMask asked) {
  size_t total = head_size(crossing_columns(columns, asked));
  for (const Column<Row>& column : columns) {
    if (column.crosses(asked)) {
      total += align8(table.rows.size() * width_of(column.type()));
    }
  }
  total += table.row_faults.size() * kFaultWords * sizeof(int32_t);
  total += table.blob.size();
  return total > static_cast<size_t>(std::numeric_limits<int32_t>::max()) ? 0 : total;
}

/// Fills `out`, which holds encoded_size() bytes and starts on an 8-byte boundary.
template <typename Row>
void encode(const Table<Row>& table, std::span<const Column<Row>> columns, FieldMask asked,
            int32_t extra, std::span<std::byte> out) {
  std::byte* const base = out.data();
  const size_t count = crossing_columns(columns, asked);
  auto* const word = reinterpret_cast<int32_t*>(base);
  size_t at = head_size(count);

  int32_t* directory = word + kHeaderWords;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].crosses(asked)) {
      continue;
    }
    *directory++ = static_cast<int32_t>(i);
    *directory++ = static_cast<int32_t>(at);
    std::visit(
        [&](auto member) {
          std::byte* cell = base + at;
          for (const Row& row : table.rows) {
            std::memcpy(cell, &(row.*member), sizeof(row.*member));
            cell += sizeof(row.*member);
          }
        },
        columns[i].member);
    at += align8(table.rows.size() * width_of(columns[i].type()));
  }

  word[kWordMagic] = kMagic;
  word[kWordVersion] = kLayoutVersion;
  word[kWordRows] = static_cast<int32_t>(table.rows.size());
  word[kWordFaults] = static_cast<int32_t>(table.row_faults.size());
  word[kWordFaultOffset] = static_cast<int32_t>(at);
  word[kWordColumns] = static_cast<int32_t>(count);
  word[kWordAsked] = static_cast<int32_t>(asked);
  word[kWordExtra] = extra;

  auto* fault = reinterpret_cast<int32_t*>(base + at);
  for (const RowFault& f : table.row_faults) {
    *fault++ = static_cast<int32_t>(f.row);
    *fault++ = static_cast<int32_t>(f.field) | static_cast<int32_t>(f.kind) << 8 |
               static_cast<int32_t>(f.call) << 16;
    *fault++ = f.code;
    *fault++ = 0;
  }
  at += table.row_faults.size() * kFaultWords * sizeof(int32_t);

  word[kWordBlobOffset] = static_cast<int32_t>(at);
  word[kWordBlobLength] = static_cast<int32_t>(table.blob.size());
  if (!table.blob.empty()) {
    std::memcpy(base + at, table.blob.data(), table.blob.size());
  }
}

}  // namespace procscope

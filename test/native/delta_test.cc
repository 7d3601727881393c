#include "poll/delta.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "model/columns.h"

namespace procscope {

namespace {

void put_column(RowDraft& draft, const Column<ProcessRow>& column, uint8_t value) {
  std::visit(
      [&](auto member) {
        using Value = std::remove_reference_t<decltype(draft.row.*member)>;
        if constexpr (std::is_same_v<Value, TextRef>) {
          const std::string text = std::string(value, 'x') + std::to_string(value);
          draft.row.*member = {static_cast<uint32_t>(draft.blob.size()),
                               static_cast<uint32_t>(text.size())};
          draft.blob += text;
        } else {
          draft.row.*member = static_cast<Value>(value);
        }
      },
      column.member);
}

/// Sets every column that belongs to this field alone. False if there is none.
bool put_field(RowDraft& draft, Field field, uint8_t value) {
  draft.row.present |= bit(field);
  bool has_any = false;
  for (const Column<ProcessRow>& column : process_columns()) {
    if (column.fields == bit(field)) {
      has_any = true;
      put_column(draft, column, value);
    }
  }
  return has_any;
}

RowDraft draft_of(FieldMask fields, uint8_t value) {
  RowDraft draft;
  draft.start(7);
  for (int i = 0; i < kFields; ++i) {
    if ((fields >> i & 1) != 0) {
      put_field(draft, static_cast<Field>(i), value);
    }
  }
  return draft;
}

/// Whether all the columns of a field say the same in both.
bool same_columns(const RowDraft& a, const RowDraft& b, Field field) {
  bool same = ((a.row.present ^ b.row.present) & bit(field)) == 0;
  for (const Column<ProcessRow>& column : process_columns()) {
    if (column.fields != bit(field)) {
      continue;
    }
    std::visit(
        [&](auto member) {
          using Value = std::remove_reference_t<decltype(ProcessRow{}.*member)>;
          if constexpr (std::is_same_v<Value, TextRef>) {
            same = same && a.text(a.row.*member) == b.text(b.row.*member);
          } else {
            same = same && a.row.*member == b.row.*member;
          }
        },
        column.member);
  }
  return same;
}

FaultKind fault_of(const RowDraft& draft, Field field) {
  for (const RowDraft::FieldFault& fault : draft.faults) {
    if (fault.field == field) {
      return fault.kind;
    }
  }
  return FaultKind::kNone;
}

constexpr FaultKind kUnfinished[] = {FaultKind::kTimeout, FaultKind::kLimit, FaultKind::kIo,
                                     FaultKind::kInternal};
constexpr FaultKind kFinished[] = {FaultKind::kDenied, FaultKind::kGone, FaultKind::kUnsupported,
                                   FaultKind::kMalformed};

}  // namespace

TEST_CASE("delta: a change of any column is seen and taken over, and of its field alone") {
  for (const Column<ProcessRow>& column : process_columns()) {
    const FieldMask field = column.fields;
    if (field == 0) {
      continue;
    }
    CAPTURE(column.name);
    const RowDraft before = draft_of(kAllFields, 1);
    RowDraft now = before;
    put_column(now, column, 2);
    CHECK(differences(before, now, kAllFields) == field);
    CHECK(differences(before, now, kAllFields & ~field) == 0);

    RowDraft row = before;
    CHECK(take_over(row, now, kAllFields & ~field) == 0);
    CHECK(differences(before, row, kAllFields) == 0);
    CHECK(take_over(row, now, kAllFields) == field);
    for (int each = 0; each < kFields; ++each) {
      CAPTURE(each);
      CHECK(same_columns(row, now, static_cast<Field>(each)));
    }
  }
}

TEST_CASE("delta: every field has a column of its own, or a flag") {
  for (int i = 0; i < kFields; ++i) {
    const auto field = static_cast<Field>(i);
    CAPTURE(field_name(field));
    RowDraft draft;
    CHECK(put_field(draft, field, 1) != (field == Field::kKernelThread));
  }
  const RowDraft before = draft_of(kAllFields, 1);
  RowDraft now = before;
  now.row.flags = kFlagKernelThread;
  CHECK(differences(before, now, kAllFields) == bit(Field::kKernelThread));
  RowDraft row = before;
  CHECK(take_over(row, now, kAllFields) == bit(Field::kKernelThread));
  CHECK(row.row.flags == kFlagKernelThread);
}

TEST_CASE("delta: a field that comes or goes differs, and the others keep their values") {
  for (int i = 0; i < kFields; ++i) {
    const auto field = static_cast<Field>(i);
    CAPTURE(i);
    const RowDraft without = draft_of(kAllFields & ~bit(field), 3);
    const RowDraft with = draft_of(kAllFields, 3);
    CHECK(differences(without, with, kAllFields) == bit(field));
    CHECK(differences(with, without, kAllFields) == bit(field));
    RowDraft row = without;
    CHECK(take_over(row, with, kAllFields) == bit(field));
    CHECK(same_columns(row, with, field));
    CHECK(take_over(row, without, kAllFields) == bit(field));
    CHECK(row.row.present == without.row.present);
  }
}

TEST_CASE("delta: flags of exe and cwd belong to these") {
  const RowDraft before = draft_of(kAllFields, 1);
  const auto with = [&](RowFlag flag) {
    RowDraft draft = before;
    draft.row.flags |= flag;
    return draft;
  };
  CHECK(differences(before, with(kFlagExeDeleted), kAllFields) == bit(Field::kExe));
  CHECK(differences(before, with(kFlagExeDeletedUnknown), kAllFields) == bit(Field::kExe));
  CHECK(differences(before, with(kFlagCwdDeleted), kAllFields) == bit(Field::kCwd));
  CHECK(differences(before, with(kFlagCwdDeletedUnknown), kAllFields) == bit(Field::kCwd));
  RowDraft row = before;
  CHECK(take_over(row, with(kFlagExeDeleted), bit(Field::kCwd)) == 0);
  CHECK(row.row.flags == 0);
  take_over(row, with(kFlagExeDeleted), bit(Field::kExe));
  take_over(row, with(kFlagCwdDeletedUnknown), bit(Field::kCwd));
  CHECK(row.row.flags == (kFlagExeDeleted | kFlagCwdDeletedUnknown));
}

TEST_CASE("delta: a start whose time is not known does not change by itself") {
  RowDraft row = draft_of(kAllFields, 1);
  row.row.start_time = std::numeric_limits<double>::quiet_NaN();
  RowDraft later = row;
  CHECK(differences(row, later, kAllFields) == 0);
  later.row.start_time = 5;
  CHECK(differences(row, later, kAllFields) == bit(Field::kStart));
}

TEST_CASE(
    "delta: a value stays where a later look did not come to an end, with the fault beside it") {
  for (const FaultKind kind : kUnfinished) {
    for (int i = 0; i < kFields; ++i) {
      const auto field = static_cast<Field>(i);
      CAPTURE(i);
      const RowDraft before = draft_of(kAllFields, 1);
      RowDraft later = draft_of(kAllFields & ~bit(field), 1);
      later.fail(bit(field), kind, Call::kRead, 4);
      CHECK(unfinished_fields(later) == bit(field));
      RowDraft row = before;
      CHECK(take_over(row, later, kAllFields) == 0);
      CHECK(same_columns(row, before, field));
      CHECK(fault_of(row, field) == kind);
      CHECK(take_over(row, before, kAllFields) == 0);
      CHECK(row.faults.empty());
    }
  }
}

TEST_CASE("delta: a value goes where a later look was refused or found nothing") {
  for (const FaultKind kind : kFinished) {
    for (int i = 0; i < kFields; ++i) {
      const auto field = static_cast<Field>(i);
      CAPTURE(i);
      RowDraft later = draft_of(kAllFields & ~bit(field), 1);
      later.fail(bit(field), kind, Call::kRead, 13);
      CHECK(unfinished_fields(later) == 0);
      RowDraft row = draft_of(kAllFields, 1);
      CHECK(take_over(row, later, kAllFields) == bit(field));
      CHECK((row.row.present & bit(field)) == 0);
      CHECK(fault_of(row, field) == kind);
    }
  }
}

TEST_CASE("delta: a value that was cut is a value, and an unread one is taken when it comes") {
  RowDraft cut = draft_of(bit(Field::kArgv), 2);
  cut.fail(bit(Field::kArgv), FaultKind::kLimit, Call::kRead, 0);
  CHECK(unfinished_fields(cut) == 0);
  RowDraft row;
  row.start(7);
  row.fail(bit(Field::kArgv), FaultKind::kTimeout, Call::kRead, 0);
  CHECK(take_over(row, cut, kAllFields) == bit(Field::kArgv));
  CHECK(row.text(row.row.argv) == "xx2");
  REQUIRE(row.faults.size() == 1);
  CHECK(row.faults[0].kind == FaultKind::kLimit);
}

TEST_CASE("delta: faults of other fields stay, and none is kept twice") {
  RowDraft row = draft_of(kAllFields, 1);
  row.fail(bit(Field::kCwd), FaultKind::kDenied, Call::kReadlink, 13);
  RowDraft later = draft_of(kStatFields, 1);
  later.fail(bit(Field::kName), FaultKind::kTimeout, Call::kRead, 0);
  later.fail(bit(Field::kExe), FaultKind::kDenied, Call::kReadlink, 13);
  for (int i = 0; i < 100; ++i) {
    take_over(row, later, kStatFields);
  }
  CHECK(row.faults.size() == 2);
  CHECK(fault_of(row, Field::kCwd) == FaultKind::kDenied);
  CHECK(fault_of(row, Field::kExe) == FaultKind::kNone);
}

TEST_CASE("delta: the blob holds the texts and does not grow with the looks") {
  RowDraft row = draft_of(kAllFields, 1);
  const size_t size = row.blob.size();
  for (int i = 0; i < 1000; ++i) {
    take_over(row, draft_of(kAllFields, 2), kTextFields);
    take_over(row, draft_of(kAllFields, 1), kAllFields);
  }
  CHECK(row.blob.size() == size);
  CHECK(differences(row, draft_of(kAllFields, 1), kAllFields) == 0);
}

TEST_CASE("delta: dead, stopped, another") {
  ProcessRow row;
  const auto is = [&](char state, int32_t threads) {
    row.present = mask_of(Field::kState, Field::kThreads, Field::kStart);
    row.state = static_cast<uint8_t>(state);
    row.threads = threads;
    return is_dead(row);
  };
  CHECK(is('Z', 1));
  CHECK(is('Z', 0));
  CHECK(is('X', 1));
  CHECK_FALSE(is('Z', 2));
  CHECK_FALSE(is('S', 1));
  CHECK_FALSE(is('T', 1));
  CHECK(is_stopped(row));
  row.state = 't';
  CHECK(is_stopped(row));
  row.state = 'Z';
  row.present = bit(Field::kThreads);
  CHECK_FALSE(is_dead(row));

  ProcessRow before;
  ProcessRow now;
  before.start_key = 1;
  now.start_key = 2;
  CHECK_FALSE(is_another(before, now));
  before.present = now.present = bit(Field::kStart);
  CHECK(is_another(before, now));
  now.start_key = 1;
  CHECK_FALSE(is_another(before, now));
}

}  // namespace procscope

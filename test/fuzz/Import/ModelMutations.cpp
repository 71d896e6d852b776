//===- Models that are nearly right -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ModelMutations.h"
#include "dyn/Target/ONNX/ListOperators.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <climits>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <limits>

using namespace dyn::onnx::fuzz;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::internal::WireFormatLite;

/// libFuzzer's own changes of bytes. Gives the new size.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// Calls `visit` for a message and all in it.
template <typename Visit>
static void walk(Message &message, Visit visit) {
  visit(message);
  const Reflection &reflection = *message.GetReflection();
  std::vector<const FieldDescriptor *> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor *field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      continue;
    if (!field->is_repeated()) {
      walk(*reflection.MutableMessage(&message, field), visit);
      continue;
    }
    for (int i = 0, e = reflection.FieldSize(message, field); i != e; ++i)
      walk(*reflection.MutableRepeatedMessage(&message, field, i), visit);
  }
}

static std::vector<Message *> collectMessages(Message &message) {
  std::vector<Message *> messages;
  walk(message, [&](Message &inner) { messages.push_back(&inner); });
  return messages;
}

/// All texts of a model: names of values, of dims, of attributes.
static std::vector<std::string> collectTexts(Message &message) {
  std::vector<std::string> texts;
  walk(message, [&](Message &inner) {
    const Reflection &reflection = *inner.GetReflection();
    std::vector<const FieldDescriptor *> fields;
    reflection.ListFields(inner, &fields);
    for (const FieldDescriptor *field : fields) {
      if (field->type() != FieldDescriptor::TYPE_STRING)
        continue;
      if (!field->is_repeated()) {
        texts.push_back(reflection.GetString(inner, field));
        continue;
      }
      for (int i = 0, e = reflection.FieldSize(inner, field); i != e; ++i)
        texts.push_back(reflection.GetRepeatedString(inner, field, i));
    }
  });
  return texts;
}

std::string ModelMutations::makeText() {
  static const llvm::StringRef special[] = {
      "",      "x",       "?",    "-1",      "None",   "s0 + 1",     "Max(1, s0)",   "9*(((w - 1)//8) + 1)",
      "s0//0", "ai.onnx", "data", "../data", "linear", "SAME_UPPER", "bij,bjk->bik", "...i->i",
      "%s",    "\x01"};
  if (choose(3) == 0)
    return chooseFrom(special).str();
  std::vector<std::string> texts = collectTexts(model);
  std::string text = texts.empty() ? std::string() : chooseFrom(texts);
  if (choose(3) != 0)
    return text;
  size_t size = text.size();
  text.resize(size + 16);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(text.data()), size, text.size()));
  return text;
}

uint64_t ModelMutations::makeInteger() {
  constexpr int64_t largest = std::numeric_limits<int64_t>::max(), smallest = std::numeric_limits<int64_t>::min();
  static const int64_t special[] = {0,   1,     -1,      2,       -2,        7,         8,       27,      127,
                                    255, 65536, 1 << 30, INT_MAX, 1LL << 32, 1LL << 40, INT_MIN, largest, smallest};
  return choose(2) == 0 ? choose(32) : static_cast<uint64_t>(chooseFrom(special));
}

double ModelMutations::makeNumber() {
  using Limits = std::numeric_limits<double>;
  static const double special[] = {0.0, -0.0, 0.5, -1.0, 1e30, 1e300, Limits::quiet_NaN(), Limits::infinity()};
  return chooseFrom(special);
}

void ModelMutations::addValue(Message &message, const Field &field) {
  // What follows in the encoded form is merged: it replaces what is single, and is appended to lists.
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream strings(&bytes);
    google::protobuf::io::CodedOutputStream stream(&strings);
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_FLOAT:
      WireFormatLite::WriteFloat(field.number(), static_cast<float>(makeNumber()), &stream);
      break;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      WireFormatLite::WriteDouble(field.number(), makeNumber(), &stream);
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      // Larger data are not copied when they are read.
      WireFormatLite::WriteBytes(field.number(), choose(20) == 0 ? std::string(5000, '\1') : makeText(), &stream);
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      WireFormatLite::WriteBytes(field.number(), "", &stream);
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      WireFormatLite::WriteEnum(field.number(), static_cast<int>(choose(32)), &stream);
      break;
    default:
      WireFormatLite::WriteUInt64(field.number(), makeInteger(), &stream);
      break;
    }
  }
  message.MergeFromString(bytes);
}

/// Moves an element to another place; those between make room.
static void move(Message &message, const FieldDescriptor &field, int from, int to) {
  const Reflection &reflection = *message.GetReflection();
  for (; from < to; ++from)
    reflection.SwapElements(&message, &field, from, from + 1);
  for (; from > to; --from)
    reflection.SwapElements(&message, &field, from, from - 1);
}

void ModelMutations::changeList(Message &message, const Field &field) {
  const Reflection &reflection = *message.GetReflection();
  int size = reflection.FieldSize(message, &field);
  bool isMessage = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  size_t action = choose(4);
  if (size == 0 || action == 0) {
    addValue(message, field);
    int last = reflection.FieldSize(message, &field) - 1;
    if (last > 0)
      move(message, field, last, static_cast<int>(choose(last + 1)));
    return;
  }
  int place = static_cast<int>(choose(size));
  if (action == 1) {
    move(message, field, place, size - 1);
    reflection.RemoveLast(&message, &field);
  } else if (action == 2) {
    move(message, field, place, static_cast<int>(choose(size)));
  } else if (isMessage) {
    Message *copy = reflection.AddMessage(&message, &field);
    copy->CopyFrom(reflection.GetRepeatedMessage(message, &field, place));
    move(message, field, size, static_cast<int>(choose(size + 1)));
  } else {
    addValue(message, field);
    reflection.SwapElements(&message, &field, place, reflection.FieldSize(message, &field) - 1);
    reflection.RemoveLast(&message, &field);
  }
}

void ModelMutations::changeSingle(Message &message, const Field &field) {
  bool isSet = message.GetReflection()->HasField(message, &field);
  bool isMessage = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  if (isSet && (isMessage || choose(5) == 0))
    message.GetReflection()->ClearField(&message, &field);
  else
    addValue(message, field);
}

void ModelMutations::replaceOperator(::onnx::NodeProto &node) {
  static const std::vector<ListedOperator> operators = listOperators();
  auto [domain, name] = llvm::StringRef(chooseFrom(operators).name).rsplit('.');
  if (name.empty())
    std::swap(domain, name);
  node.set_domain(domain.str());
  node.set_op_type(name.str());
}

void ModelMutations::changeField() {
  Message &message = *chooseFrom(collectMessages(model));
  auto *node = google::protobuf::DynamicCastToGenerated<::onnx::NodeProto>(&message);
  if (node && choose(8) == 0)
    return replaceOperator(*node);
  std::vector<const FieldDescriptor *> fields;
  message.GetReflection()->ListFields(message, &fields);
  if (fields.empty() || choose(5) == 0) {
    fields.clear();
    for (int i = 0, e = message.GetDescriptor()->field_count(); i != e; ++i)
      fields.push_back(message.GetDescriptor()->field(i));
  }
  const FieldDescriptor &field = *chooseFrom(fields);
  if (field.is_repeated())
    changeList(message, field);
  else
    changeSingle(message, field);
}

void ModelMutations::takeFrom(::onnx::ModelProto &other) {
  std::vector<Message *> ours = collectMessages(model);
  const Message &donor = *chooseFrom(collectMessages(other));
  if (choose(2) == 0) {
    llvm::erase_if(ours, [&](Message *message) { return message->GetDescriptor() != donor.GetDescriptor(); });
    if (!ours.empty())
      chooseFrom(ours)->CopyFrom(donor);
    return;
  }
  std::vector<std::pair<Message *, const FieldDescriptor *>> lists;
  for (Message *message : ours)
    for (int i = 0, e = message->GetDescriptor()->field_count(); i != e; ++i) {
      const FieldDescriptor *field = message->GetDescriptor()->field(i);
      if (field->is_repeated() && field->message_type() == donor.GetDescriptor())
        lists.push_back({message, field});
    }
  if (lists.empty())
    return;
  auto [message, field] = chooseFrom(lists);
  message->GetReflection()->AddMessage(message, field)->CopyFrom(donor);
  int last = message->GetReflection()->FieldSize(*message, field) - 1;
  move(*message, *field, last, static_cast<int>(choose(last + 1)));
}

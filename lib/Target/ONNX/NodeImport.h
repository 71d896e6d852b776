//===- One node on its way into the module -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What an operator importer sees. Reading something that the node lacks, or has
// in another form, emits an error and yields a default: importers need no checks
// of their own, and the driver gives up after the node.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_NODEIMPORT_H
#define DYN_LIB_TARGET_ONNX_NODEIMPORT_H

#include "Emitter.h"
#include "dyn/Analysis/ForwardShapes.h"

namespace dyn::onnx {

/// A sequence: tensors whose number is known at import.
struct TensorList {
  mlir::Type elementType;
  llvm::SmallVector<mlir::Value> elements;
};
using SharedList = std::shared_ptr<const TensorList>;

/// Imports graphs that are attributes of nodes.
class GraphImporter {
public:
  virtual ~GraphImporter() = default;

  /// Appends the ops of a graph where the builder stands, and gives its outputs. `inputs` are the values of its inputs.
  virtual mlir::LogicalResult importGraph(const Graph &graph, mlir::ValueRange inputs,
                                          llvm::SmallVectorImpl<mlir::Value> &outputs) = 0;
  /// Imports the nodes by which ONNX defines an operator in place of a node: its results are known afterwards.
  /// `operands` may be others than those of the node.
  virtual mlir::LogicalResult importDefinition(const Node &node, llvm::ArrayRef<mlir::Value> operands) = 0;
  /// The value that a sequence is at a run.
  virtual mlir::Value makeSequence(const TensorList &list, mlir::Location loc) = 0;
  /// How many channels stand together in filters of `com.microsoft.nchwc`.
  virtual int64_t getChannelBlock() = 0;
  /// What the model says about a value.
  virtual std::optional<int64_t> findDeclaredRank(llvm::StringRef name) const = 0;
  /// What ops say of values where types do not tell.
  virtual ForwardShapes &getShapes() const = 0;
};

class NodeImport : public Emitter {
public:
  /// `operands` are null where the node leaves one out, or where it is one of `lists`, which has as many entries.
  NodeImport(const Node &node, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<SharedList> lists,
             mlir::OpBuilder &builder, mlir::Location loc, ConstantPool &constants, GraphImporter &graphs)
      : Emitter(builder, loc, constants), node(node), graphs(graphs), operands(operands), lists(lists) {
    results.resize(node.outputs.size());
    listResults.resize(node.outputs.size());
  }

  /// Emits an error that starts with the node's name and operator.
  mlir::LogicalResult error(const llvm::Twine &message);
  /// As error, for what no run can mean, such as dims that never fit together; tells the dims of the inputs too.
  mlir::LogicalResult contradiction(const llvm::Twine &message);
  bool hasFailed() const { return failed; }
  bool hasContradiction() const { return contradicts; }

  /// The opset by which the node is to be read.
  int64_t getVersion() const { return node.version; }
  size_t getNumOperands() const { return operands.size(); }
  bool hasOperand(size_t index) const { return index < operands.size() && operands[index]; }
  /// Null when left out. Those that the registry requires are never null.
  mlir::Value getOperand(size_t index) const { return hasOperand(index) ? operands[index] : mlir::Value(); }
  bool hasList(size_t index) const { return index < lists.size() && lists[index]; }
  /// Is the operand a sequence or an optional of which only a run tells what is in it?
  bool isSequence(size_t index) const;
  bool isOptional(size_t index) const;
  /// The operand, a sequence whose length is known as a value like the others; null when left out.
  mlir::Value getValue(size_t index);
  /// Null, after an error, if the operand is no sequence.
  const TensorList *getList(size_t index);
  /// All operands; an error if one in between is left out.
  llvm::SmallVector<mlir::Value> getAllOperands();
  bool wantsResult(size_t index) const { return index < node.outputs.size() && !node.outputs[index].empty(); }
  size_t getNumResults() const { return node.outputs.size(); }

  //===--- Attributes ---===//
  bool hasAttribute(llvm::StringRef name) const { return node.getAttribute(name); }
  int64_t getInt(llvm::StringRef name, int64_t defaultValue);
  int64_t getRequiredInt(llvm::StringRef name);
  double getFloat(llvm::StringRef name, float defaultValue);
  std::string getString(llvm::StringRef name, llvm::StringRef defaultValue);
  std::optional<llvm::SmallVector<int64_t>> getInts(llvm::StringRef name);
  /// Nothing where it is missing.
  std::optional<llvm::SmallVector<double>> getFloats(llvm::StringRef name);
  std::optional<std::vector<std::string>> getStrings(llvm::StringRef name);
  const NodeAttribute *getAttributeOfKind(llvm::StringRef name, NodeAttribute::Kind kind);
  /// A graph that must be there; null, after an error, if it is not.
  const Graph *getGraph(llvm::StringRef name);

  //===--- Values that must be known at import ---===//
  /// The elements of an integer operand; nothing where it is left out, an error where it is not known.
  std::optional<llvm::SmallVector<int64_t>> getConstantOperand(size_t index, llvm::StringRef meaning);
  /// What became an operand with `opset`: before that an attribute.
  std::optional<llvm::SmallVector<int64_t>> getAttributeOrOperand(llvm::StringRef name, size_t index, int64_t opset);
  /// The same, for what may depend on data: an i64 vector, or null.
  mlir::Value getVectorOrOperand(llvm::StringRef name, size_t index, int64_t opset);
  /// What findRank() finds, which the operand gets then; an error if that is nothing. For what can't be imported
  /// without.
  int64_t requireRank(size_t index);
  /// The rank that the type tells, or else the declared one, or else the one that the ops before say.
  std::optional<int64_t> findRank(size_t index) const;
  /// The dims that the type, or else the ops before, say of an operand that is there; nothing without a rank.
  std::optional<llvm::SmallVector<int64_t>> findDims(size_t index) const;
  /// The same as requireRank of all operands, without the errors.
  void takeDeclaredRanks();
  /// The rank that the model declares for a result.
  std::optional<int64_t> findResultRank(size_t index) const;
  /// Counted from the front where the rank is known; an error where it is out of range.
  int64_t normalizeAxis(int64_t axis, std::optional<int64_t> rank);

  /// Emits an error if an operand, of (operand, rank), is there and known to have another rank.
  mlir::LogicalResult requireRanks(llvm::ArrayRef<std::pair<size_t, int64_t>> ranks);
  /// Emits an error if operands differ in element type.
  mlir::LogicalResult requireSameElementTypes(mlir::ValueRange values);

  //===--- Results ---===//
  mlir::LogicalResult finish(mlir::Value value) { return finish(0, value); }
  mlir::LogicalResult finish(size_t index, mlir::Value value);
  mlir::LogicalResult finishList(size_t index, TensorList list);
  /// Imports ONNX's own definition of the operator instead; nothing else may be finished.
  mlir::LogicalResult finishByDefinition() { return graphs.importDefinition(node, operands); }
  llvm::ArrayRef<mlir::Value> getResults() const { return results; }
  llvm::ArrayRef<SharedList> getListResults() const { return listResults; }

  const Node &node;
  GraphImporter &graphs;

private:
  llvm::ArrayRef<mlir::Value> operands;
  llvm::ArrayRef<SharedList> lists;
  llvm::SmallVector<mlir::Value, 2> results;
  llvm::SmallVector<SharedList, 2> listResults;
  bool failed = false, contradicts = false;
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_NODEIMPORT_H

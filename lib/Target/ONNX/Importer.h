//===- One import of an ONNX model --------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_IMPORTER_H
#define DYN_LIB_TARGET_ONNX_IMPORTER_H

#include "Foreign/ForeignImport.h"
#include "OperatorRegistry.h"
#include "Reading/FunctionBodyCache.h"
#include "Reading/Shadowing.h"
#include "Schemas/Schemas.h"
#include "Signature/Signature.h"
#include "dyn/Dialect/Dyn/IR/DimsAttrBuilder.h"
#include "dyn/Dialect/Dyn/IR/GuardReason.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace dyn::onnx {

/// The files that an import writes.
std::vector<std::string> getOutputs(const ImportOptions &options);

/// One import.
class Importer : public GraphImporter {
public:
  /// `path` is that of the model's file, or empty.
  Importer(llvm::StringRef name, llvm::StringRef path, const ImportOptions &options, mlir::MLIRContext *context)
      : builder(context), fileLoc(mlir::FileLineColLoc::get(builder.getStringAttr(name), 0, 0)), path(path),
        directory(options.dataDirectory.value_or("")), options(options), files(directory, getOutputs(options)),
        writer(options.weightsFile), dimsAttrs(context), reasonWriter(context),
        declaredDimsName(builder.getStringAttr(DynDialect::kDeclaredDimsAttrName)) {}

  mlir::OwningOpRef<mlir::ModuleOp> run(llvm::StringRef bytes);
  /// After run().
  ImportRecord takeRecord() {
    llvm::StringMap<KnownSequence> sequences;
    for (const auto &entry : lists)
      if (entry.second)
        sequences[entry.first()] = {entry.second->elementType, entry.second->elements};
    std::shared_ptr<void> message = model->messages.front();
    return {std::move(values),    std::move(message), std::move(completeMessage), nullptr, std::move(foreign),
            std::move(sequences), std::move(model)};
  }

private:
  template <typename T>
  using Names = llvm::StringMap<T, llvm::BumpPtrAllocator>;

  mlir::LogicalResult read(llvm::StringRef bytes);
  mlir::LogicalResult checkExternalLocations(const Graph &graph);
  mlir::LogicalResult checkOperators();
  mlir::LogicalResult createFunction(mlir::ModuleOp module, llvm::StringRef bytes);
  mlir::LogicalResult createArguments();
  /// Makes constants of inputs whose elements are given.
  mlir::LogicalResult fixInputs();
  mlir::LogicalResult importNodes();
  mlir::LogicalResult importGraph(const Graph &graph, mlir::ValueRange inputs,
                                  llvm::SmallVectorImpl<mlir::Value> &outputs) final;
  mlir::Value makeSequence(const TensorList &list, mlir::Location loc) final;
  mlir::LogicalResult importDefinition(const Node &node, llvm::ArrayRef<mlir::Value> operands) final;
  int64_t getChannelBlock() final;
  std::optional<int64_t> findDeclaredRank(llvm::StringRef name) const final;
  ForwardShapes &getShapes() const final;
  /// What stands at each place of a node's inputs: a null value for what is left out, or is a list.
  struct NodeOperands {
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<SharedList> lists;
  };
  mlir::LogicalResult readOperands(const Node &node, bool takesLists, mlir::Location loc, NodeOperands &operands);
  mlir::LogicalResult importNode(const Node &node);
  mlir::LogicalResult importByEntry(const Node &node, const OperatorEntry &entry,
                                    const OperatorSchemas::Operator &schema, const NodeOperands &operands,
                                    mlir::Location loc);
  /// `list` is null for a value that is none.
  void defineOutput(llvm::StringRef name, mlir::Value value, const SharedList &list);
  mlir::LogicalResult importAndVerify(const Node &node);
  mlir::LogicalResult importOrCall(const Node &node);
  /// Is the input neither a tensor nor a container of such, or one of elements that there are none of here?
  bool isForeign(const ValueInfo &input) {
    bool isContainer = input.container != Container::None && getElementType(input.type, builder.getContext());
    return (!input.notTensor.empty() && !isContainer) || !getInputElementType(input);
  }
  /// Null for what is not supported. Where sizes are all that is asked for, complex numbers are.
  mlir::Type getInputElementType(const ValueInfo &input) {
    return options.allowForeign ? getSizedElementType(input.type, builder.getContext())
                                : getElementType(input.type, builder.getContext());
  }
  void declareDims(llvm::StringRef name, mlir::Value value);
  /// The discardable attributes of an op whose result has these dims; none if nothing is said of them.
  mlir::DictionaryAttr getDeclaration(llvm::ArrayRef<Dim> declared);
  /// As getElementType, which compares with all types that there are.
  ElementType findElementType(mlir::Type type);
  mlir::LogicalResult finishFunction();
  /// Null, after an error, for what a node did not compute or can't be made a constant. `user` says who reads the
  /// value.
  mlir::Value getValue(llvm::StringRef name, llvm::function_ref<std::string()> user);
  mlir::LogicalResult report(llvm::Error error) { return mlir::emitError(fileLoc) << llvm::toString(std::move(error)); }
  mlir::StringAttr str(llvm::StringRef text) { return builder.getStringAttr(text); }

  mlir::OpBuilder builder;
  mlir::Location fileLoc;
  std::string path, directory;
  const ImportOptions &options;
  ExternalFiles files;
  WeightWriter writer;
  const OperatorRegistry &registry = OperatorRegistry::get();
  OperatorSchemas schemas;
  llvm::DenseMap<mlir::Type, ElementType> elementTypes;

  std::unique_ptr<Model> model;
  std::function<void()> completeMessage; ///< of the model
  /// Inputs that are no initializers.
  std::vector<const ValueInfo *> arguments;
  std::optional<Signature> signature;
  DimsAttrBuilder dimsAttrs; ///< of the signature's expressions
  GuardReasonWriter reasonWriter;
  mlir::StringAttr declaredDimsName;
  llvm::StringMap<mlir::DictionaryAttr> declarations; ///< by the bytes of dims
  mlir::func::FuncOp function;
  mutable std::optional<ForwardShapes> shapes; ///< once asked for
  unsigned numBodies = 0;
  bool isInDefinition = false; ///< Do nodes of ONNX's definition of an operator come in?
  std::optional<FunctionBodyCache> bodies;
  bool contradicts = false; ///< the node that failed last: no run can mean anything by it
  std::optional<int64_t> channelBlock;
  std::optional<ConstantPool> constants;
  ValuesByName values;
  Names<SharedList> lists; ///< values that are no tensors
  /// Those of the node's graph that is being imported.
  Shadowing<ValuesByName> *graphValues = nullptr;
  Shadowing<Names<SharedList>> *graphLists = nullptr;
  Names<const Tensor *> initializers;
  Names<int64_t> declaredRanks;            ///< of outputs, and in the node's graph
  Names<const ValueInfo *> declaredValues; ///< those between nodes
  std::vector<ForeignNode> foreign;
  std::optional<ForeignImport> foreignImport;
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_IMPORTER_H

import { fileURLToPath } from 'node:url';
import ts from 'typescript-6';

export type JsonSchema = { readonly [key: string]: unknown };

const file = fileURLToPath(new URL('../src/judge/summary.ts', import.meta.url));

/**
 * The JSON Schema of summary.json, made from the type that the judging half returns: there is no second description that
 * could differ from it. Doc comments become descriptions. Throws for a type that it cannot tell.
 */
export function summaryJsonSchema(): JsonSchema {
  const options = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, strict: true, noEmit: true };
  const program = ts.createProgram([file], { ...options, allowImportingTsExtensions: true, types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const summary = module && checker.getExportsOfModule(module).find(({ name }) => name === 'Summary');
  if (summary === undefined) throw new Error(`no type Summary in ${file}`);
  const definitions = new Map<string, { readonly symbol: ts.Symbol; schema: JsonSchema }>();
  const { $ref } = referenceTo(summary, { checker, definitions });
  const named = [...definitions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { schema }]) => [name, schema]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'summary.json of a pgsweep run',
    $ref,
    $defs: Object.fromEntries(named),
  };
}

interface Context {
  readonly checker: ts.TypeChecker;
  /** Named types so far, by name. */
  readonly definitions: Map<string, { readonly symbol: ts.Symbol; schema: JsonSchema }>;
}

function schemaOf(node: ts.TypeNode, context: Context): JsonSchema {
  if (ts.isParenthesizedTypeNode(node)) return schemaOf(node.type, context);
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword)
    return schemaOf(node.type, context);
  if (ts.isArrayTypeNode(node)) return { type: 'array', items: schemaOf(node.elementType, context) };
  if (ts.isTupleTypeNode(node)) return tupleOf(node, context);
  if (ts.isUnionTypeNode(node)) return unionOf(node, context);
  if (ts.isTypeLiteralNode(node)) return objectOf(context.checker.getTypeFromTypeNode(node), context);
  if (ts.isTypeReferenceNode(node)) return referredBy(node, context);
  if (node.kind === ts.SyntaxKind.StringKeyword) return { type: 'string' };
  if (node.kind === ts.SyntaxKind.NumberKeyword) return { type: 'number' };
  if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: 'boolean' };
  if (ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.NullKeyword) return { type: 'null' };
  if (ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.TrueKeyword) return { const: true };
  return literalsOf(context.checker.getTypeFromTypeNode(node), node);
}

/** `'a'`, `(typeof names)[number]`, `typeof VERSION`: in the order of the alphabet, since the compiler's may change. */
function literalsOf(type: ts.Type, node: ts.Node): JsonSchema {
  const values = (type.isUnion() ? type.types : [type]).map((one) => {
    if (!one.isStringLiteral() && !one.isNumberLiteral()) throw new Error(`no schema for the type ${node.getText()}`);
    return one.value;
  });
  return values.length === 1 ? { const: values[0] } : { enum: values.sort() };
}

function tupleOf({ elements }: ts.TupleTypeNode, context: Context): JsonSchema {
  const items = elements.map((one) => schemaOf(ts.isNamedTupleMember(one) ? one.type : one, context));
  const length = { minItems: items.length, maxItems: items.length };
  return { type: 'array', ...(items.length > 0 && { prefixItems: items }), ...length };
}

function unionOf(node: ts.UnionTypeNode, context: Context): JsonSchema {
  const members = node.types.map((member, i) => {
    // A comment before `| {` belongs to no symbol.
    const before = node.getSourceFile().text.slice(node.types[i - 1]?.end ?? node.pos, member.getStart());
    const said = /\/\*\*\s*([\s\S]*?)\s*\*\//.exec(before)?.[1]?.replace(/\s*\n\s*\*\s*/g, ' ');
    return { ...(said !== undefined && { description: said }), ...schemaOf(member, context) };
  });
  const values = members.map((member) => ('const' in member ? member.const : undefined));
  return values.includes(undefined) ? { anyOf: members } : { enum: values };
}

/** An object by its properties, inherited ones too; or by its index signature. */
function objectOf(type: ts.Type, context: Context): JsonSchema {
  const own = type.getProperties().filter((property) => !isNever(property));
  const properties = own.map((property) => {
    const declaration = property.valueDeclaration ?? property.declarations?.[0];
    // Of a type that extends one that a shape of the journal gives.
    if (declaration && ts.isPropertyAssignment(declaration))
      return [
        property.name,
        { ...described(property, context), ...shapeSchema(declaration.initializer, context) },
      ] as const;
    // Of a type that follows from a registry, whose entries have types with names.
    if (declaration && ts.isShorthandPropertyAssignment(declaration)) {
      const { symbol } = context.checker.getNonNullableType(context.checker.getTypeOfSymbol(property));
      return [property.name, referenceTo(symbol, context)] as const;
    }
    if (!declaration || !ts.isPropertySignature(declaration) || !declaration.type) {
      throw new Error(`no schema for the property ${property.name}`);
    }
    return [property.name, { ...described(property, context), ...schemaOf(declaration.type, context) }] as const;
  });
  const needed = own.filter(({ flags }) => (flags & ts.SymbolFlags.Optional) === 0);
  return { type: 'object', properties: Object.fromEntries(properties), required: needed.map(({ name }) => name) };
}

/** A property that is not there, which tells members of a union apart. */
function isNever({ valueDeclaration }: ts.Symbol): boolean {
  if (valueDeclaration === undefined || !ts.isPropertySignature(valueDeclaration)) return false;
  return valueDeclaration.type?.kind === ts.SyntaxKind.NeverKeyword;
}

function referredBy(node: ts.TypeReferenceNode, context: Context): JsonSchema {
  const [first, second] = node.typeArguments ?? [];
  const name = node.typeName.getText();
  if (name === 'ValueOf' && first !== undefined) return shapeSchema(shapeIn(first, context), context);
  if (name === 'NonEmpty' && first !== undefined)
    return { type: 'array', items: schemaOf(first, context), minItems: 1 };
  if (name === 'Readonly' && first !== undefined) return schemaOf(first, context);
  if (name === 'Record' && first !== undefined && second !== undefined) return recordOf(first, second, context);
  const symbol = context.checker.getSymbolAtLocation(node.typeName);
  // A type's own parameter that it hands on has the same default.
  const isPlain = node.typeArguments?.every((argument) => isParameter(argument, context)) ?? true;
  if (symbol === undefined || !isPlain) throw new Error(`no schema for the type ${node.getText()}`);
  // What a type of several uses is in the summary is its default.
  const [declared] = symbol.declarations ?? [];
  if (declared !== undefined && ts.isTypeParameterDeclaration(declared) && declared.default !== undefined) {
    return schemaOf(declared.default, context);
  }
  const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  return referenceTo(isAlias ? context.checker.getAliasedSymbol(symbol) : symbol, context);
}

function isParameter(node: ts.TypeNode, { checker }: Context): boolean {
  return (checker.getTypeFromTypeNode(node).flags & ts.TypeFlags.TypeParameter) !== 0;
}

function recordOf(keys: ts.TypeNode, values: ts.TypeNode, context: Context): JsonSchema {
  const value = schemaOf(values, context);
  if (keys.kind === ts.SyntaxKind.StringKeyword) return { type: 'object', additionalProperties: value };
  const { enum: names } = literalsOf(context.checker.getTypeFromTypeNode(keys), keys) as { enum: string[] };
  return { type: 'object', properties: Object.fromEntries(names.map((key) => [key, value])), required: names };
}

/** A named type stands once, under its name. */
function referenceTo(symbol: ts.Symbol, context: Context): { readonly $ref: string } {
  const { definitions, checker } = context;
  const $ref = `#/$defs/${symbol.name}`;
  const known = definitions.get(symbol.name);
  if (known !== undefined && known.symbol !== symbol) throw new Error(`two types have the name ${symbol.name}`);
  if (known !== undefined) return { $ref };
  const definition = { symbol, schema: {} };
  definitions.set(symbol.name, definition);
  const [declaration] = symbol.declarations ?? [];
  const shape = declaration && ts.isInterfaceDeclaration(declaration) ? shapeExtended(declaration, context) : undefined;
  const schema =
    shape !== undefined
      ? shapeSchema(shape, context)
      : declaration !== undefined && ts.isTypeAliasDeclaration(declaration)
        ? schemaOf(declaration.type, context)
        : objectOf(checker.getDeclaredTypeOfSymbol(symbol), context);
  definition.schema = { ...described(symbol, context), ...schema };
  return { $ref };
}

/** The shape in `typeof x`, as it is declared. */
function shapeIn(node: ts.TypeNode, context: Context): ts.Expression {
  if (!ts.isTypeQueryNode(node)) throw new Error(`no schema for the type ${node.getText()}`);
  return declarationOf(node.exprName, context).initializer as ts.Expression;
}

/** The shape in `interface X extends ValueOf<typeof x> {}`. */
function shapeExtended({ heritageClauses }: ts.InterfaceDeclaration, context: Context): ts.Expression | undefined {
  const [base] = heritageClauses?.flatMap(({ types }) => [...types]) ?? [];
  const [argument] = base?.typeArguments ?? [];
  const isShape = base?.expression.getText() === 'ValueOf' && argument !== undefined;
  return isShape ? shapeIn(argument, context) : undefined;
}

const plainShapes: Readonly<Record<string, string>> = {
  text: 'string',
  url: 'string',
  flag: 'boolean',
  number: 'number',
  amount: 'number',
  count: 'number',
};

/** The schema of a shape of the journal (src/journal/shape.ts), as its source builds it. */
function shapeSchema(node: ts.Expression, context: Context): JsonSchema {
  if (ts.isIdentifier(node)) return plainOrNamed(node, context);
  if (!ts.isCallExpression(node)) throw new Error(`no schema for the shape ${node.getText()}`);
  const [first] = node.arguments;
  const inner = (): JsonSchema => shapeSchema(first as ts.Expression, context);
  switch (node.expression.getText()) {
    case 'optional':
      return inner();
    case 'list':
      return { type: 'array', items: inner() };
    case 'orNull':
      return { anyOf: [inner(), { type: 'null' }] };
    case 'byName':
      return { type: 'object', additionalProperties: inner() };
    case 'either':
      return { anyOf: node.arguments.map((one) => shapeSchema(one, context)) };
    case 'byKind':
      return { anyOf: fieldList(first as ts.Expression, context).map((one) => shapeOfField(one, context)) };
    case 'oneOf':
      return valuesOf(node, context);
    case 'fields':
      return fieldsOf(fieldList(first as ts.Expression, context), context);
    default:
      throw new Error(`no schema for the shape ${node.getText()}`);
  }
}

/** A shape by its name: of a plain value, of a type that has a name, or as it is declared. */
function plainOrNamed(node: ts.Identifier, context: Context): JsonSchema {
  const type = plainShapes[node.text];
  if (type !== undefined) return { type };
  const declaration = declarationOf(node, context);
  const wanted = node.text.toLowerCase();
  const named = declaration
    .getSourceFile()
    .statements.find(
      (one): one is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
        (ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) && one.name.text.toLowerCase() === wanted,
    );
  const symbol = named && context.checker.getSymbolAtLocation(named.name);
  if (symbol !== undefined) return referenceTo(symbol, context);
  return shapeSchema(declaration.initializer as ts.Expression, context);
}

function declarationOf(node: ts.Node, { checker }: Context): ts.VariableDeclaration {
  const own = checker.getSymbolAtLocation(node);
  const symbol = own && (own.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(own) : own;
  const declaration = symbol?.valueDeclaration;
  if (declaration === undefined || !ts.isVariableDeclaration(declaration)) throw new Error(`no ${node.getText()}`);
  return declaration;
}

/** `oneOf('a', 'b')`, `oneOf(...names)`: a list of names that has a type of its own stands under that type's name. */
function valuesOf(node: ts.CallExpression, context: Context): JsonSchema {
  const [first] = node.arguments;
  if (first !== undefined && ts.isSpreadElement(first)) {
    const { parent } = declarationOf(first.expression, context);
    const file = parent.getSourceFile();
    const alias = file.statements.find(
      (one): one is ts.TypeAliasDeclaration =>
        ts.isTypeAliasDeclaration(one) && one.type.getText() === `(typeof ${first.expression.getText()})[number]`,
    );
    const symbol = alias && context.checker.getSymbolAtLocation(alias.name);
    if (symbol !== undefined) return referenceTo(symbol, context);
  }
  if (first?.kind === ts.SyntaxKind.TrueKeyword) return { const: true };
  const values = node.arguments.map((one) => (one as ts.StringLiteral).text).sort();
  return values.length === 1 ? { const: values[0] } : { enum: values };
}

type Field = ts.PropertyAssignment | ts.ShorthandPropertyAssignment;

/** The fields of an object of shapes, with those that it takes from others. */
function fieldList(node: ts.Expression, context: Context): Field[] {
  if (ts.isIdentifier(node)) return fieldList(declarationOf(node, context).initializer as ts.Expression, context);
  if (!ts.isObjectLiteralExpression(node)) throw new Error(`no fields in ${node.getText()}`);
  return node.properties.flatMap((one) => {
    if (ts.isSpreadAssignment(one)) return fieldList(one.expression, context);
    if (ts.isPropertyAssignment(one) || ts.isShorthandPropertyAssignment(one)) return [one];
    throw new Error(`no field: ${one.getText()}`);
  });
}

/** In `{ count }` the name is the shape's. */
function shapeOfField(field: Field, context: Context): JsonSchema {
  return shapeSchema(ts.isPropertyAssignment(field) ? field.initializer : (field.name as ts.Expression), context);
}

function fieldsOf(all: readonly Field[], context: Context): JsonSchema {
  const own = all
    .map((field) => ({ field, name: field.name.getText(), text: field.getText() }))
    .filter(({ text }) => !text.endsWith('optional(nothing)'));
  const properties = own.map(({ field, name }) => {
    const symbol = context.checker.getSymbolAtLocation(field.name);
    return [name, { ...(symbol && described(symbol, context)), ...shapeOfField(field, context) }] as const;
  });
  const required = own.filter(({ text }) => !/^\w+: optional\(/.test(text)).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

function described(symbol: ts.Symbol, { checker }: Context): JsonSchema {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, ' ');
  return text === '' ? {} : { description: text };
}

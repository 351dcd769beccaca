import { globSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TSchema } from '@sinclair/typebox'
import ts from 'typescript'

/**
 * Writes the types of the package: `dist/src/index.d.ts` with everything that it exports, and
 * nothing else. A type that is made from a schema is written field by field, and each field has the
 * description of its schema as a comment, so that an editor shows it.
 */

const root = fileURLToPath(new URL('..', import.meta.url))

/** Declarations of one file, made from those that the compiler has written. */
class Declarations {
  readonly #folder: string
  readonly #checker: ts.TypeChecker
  readonly #entry: ts.SourceFile
  /** Source text by declaration, in the order of their use. */
  readonly #written = new Map<ts.Node, string>()
  readonly #names = new Map<string, ts.Node>()
  /** Fields without a description. */
  readonly undocumented: string[] = []

  constructor (folder: string) {
    this.#folder = folder
    const program = ts.createProgram([join(folder, 'src/index.d.ts')], {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.NodeNext,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      typeRoots: []
    })
    this.#checker = program.getTypeChecker()
    const entry = program.getSourceFile(join(folder, 'src/index.d.ts'))
    if (entry === undefined) throw new Error('the compiler has written no src/index.d.ts')
    this.#entry = entry
  }

  /** Writes the text of the file. */
  async write (): Promise<string> {
    const module = this.#checker.getSymbolAtLocation(this.#entry)
    const exported: string[] = []
    for (const symbol of this.#checker.getExportsOfModule(module as ts.Symbol)) {
      const target = this.#resolve(symbol)
      const isValue = (target.flags & ts.SymbolFlags.Value) !== 0 && !isTypeOnly(symbol)
      for (const node of target.declarations ?? []) {
        if (isValue || isTypeNode(node)) await this.#add(node)
      }
      const name = target.name === symbol.name ? target.name : `${target.name} as ${symbol.name}`
      exported.push(isValue ? name : `type ${name}`)
    }
    const globals = this.#entry.statements.filter(ts.isModuleDeclaration)
    const text = [
      '/** Types of momock. `npm run build` writes them from the source and its schemas. */',
      ...globals.map((node) => node.getText()),
      ...this.#written.values(),
      `export { ${exported.join(', ')} }`
    ].join('\n')
    const file = ts.createSourceFile('index.d.ts', text, ts.ScriptTarget.ES2024, true)
    return ts.createPrinter().printFile(file)
  }

  #resolve (symbol: ts.Symbol): ts.Symbol {
    return (symbol.flags & ts.SymbolFlags.Alias) === 0
      ? symbol
      : this.#checker.getAliasedSymbol(symbol)
  }

  /** Writes a declaration, and those that it uses. */
  async #add (declaration: ts.Node): Promise<void> {
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
    if (this.#written.has(node)) return
    this.#written.set(node, '')
    const name = ts.getNameOfDeclaration(declaration as ts.Declaration)?.getText() ?? ''
    const other = this.#names.get(name)
    if (other !== undefined && other.getSourceFile() !== node.getSourceFile()) {
      throw new Error(`there are two declarations ${name}: rename one of them`)
    }
    this.#names.set(name, node)
    const text = await this.#writeStatement(node, name)
    this.#written.set(node, `${readComment(node)}${text.replace(/^export /, '')}`)
  }

  async #writeStatement (node: ts.Node, name: string): Promise<string> {
    if (ts.isTypeAliasDeclaration(node)) {
      const words = this.#listWords(node)
      return words === undefined
        ? await this.#rewrite(node, name)
        : `type ${name} =${words.map((word) => `\n  | ${JSON.stringify(word)}`).join('')}`
    }
    const made = ts.isInterfaceDeclaration(node) ? await this.#madeFrom(node) : undefined
    if (made === undefined || !ts.isInterfaceDeclaration(node)) {
      return await this.#rewrite(node, name)
    }
    const fields = await this.#writeFields(made.node, made.schema, name)
    const members = await Promise.all(
      node.members.map(async (member) => {
        return `${readComment(member)}${await this.#rewrite(member, name)}`
      })
    )
    return `interface ${name} {\n${[fields, ...members].join('\n')}\n}`
  }

  /** The words of a type that lists them by a table, such as `keyof typeof failures`. */
  #listWords (node: ts.TypeAliasDeclaration): string[] | undefined {
    const text = node.type.getText()
    if (node.typeParameters !== undefined || !/\btypeof\b/.test(text) || text.includes('Static<')) {
      return undefined
    }
    const type = this.#checker.getTypeAtLocation(node)
    const parts = type.isUnion() ? type.types : [type]
    return parts.every((part) => part.isStringLiteral())
      ? parts.map((part) => (part as ts.StringLiteralType).value)
      : undefined
  }

  /** The schema of an interface that extends one only. */
  async #madeFrom (node: ts.InterfaceDeclaration): Promise<Schema | undefined> {
    const [base, ...others] = node.heritageClauses?.flatMap(({ types }) => [...types]) ?? []
    return base === undefined || others.length > 0 ? undefined : await this.#readSchema(base)
  }

  /** Writes a node. What it names is added, and a type of a schema is written with its fields. */
  async #rewrite (node: ts.Node, path: string): Promise<string> {
    const made = await this.#readSchema(node)
    if (made !== undefined) {
      const text = await this.#writeType(made.node, made.schema, path)
      return ts.isArrayTypeNode(node.parent) ? `(${text})` : text
    }
    if (ts.isImportTypeNode(node)) {
      const symbol = node.qualifier && this.#checker.getSymbolAtLocation(node.qualifier)
      if (symbol === undefined) throw new Error(`${path}: ${node.getText()}`)
      return await this.#name(symbol, node)
    }
    if (ts.isIdentifier(node)) {
      const symbol = this.#checker.getSymbolAtLocation(node)
      const isName = (node.parent as ts.NamedDeclaration).name === node
      return symbol === undefined || isName ? node.text : await this.#name(symbol, node)
    }
    let text = ''
    let position = node.getStart()
    const children: ts.Node[] = []
    ts.forEachChild(node, (child) => {
      children.push(child)
    })
    for (const child of children) {
      text += node.getSourceFile().text.slice(position, child.getStart())
      text += await this.#rewrite(child, path)
      position = child.getEnd()
    }
    return text + node.getSourceFile().text.slice(position, node.getEnd())
  }

  /** The name of a symbol. Its declaration is added if it is one of ours. */
  async #name (symbol: ts.Symbol, node: ts.Node): Promise<string> {
    const target = this.#resolve(symbol)
    const isQuery = ts.isTypeQueryNode(node.parent)
    for (const declaration of target.declarations ?? []) {
      const isOurs = declaration.getSourceFile().fileName.startsWith(this.#folder)
      if (!isOurs || !isStatement(declaration)) continue
      if (isQuery || isTypeNode(declaration)) await this.#add(declaration)
    }
    return target.declarations?.some(isStatement) === true ? target.name : node.getText()
  }

  /** The schema of `Static<typeof Schema>`, or of a part of it. */
  async #readSchema (node: ts.Node): Promise<Schema | undefined> {
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const name = (ts.isTypeReferenceNode(node) ? node.typeName : node.expression).getText()
      const [argument] = node.typeArguments ?? []
      if (name === 'NonNullable') return await this.#readSchema(argument)
      if (name !== 'Static' || !ts.isTypeQueryNode(argument)) return undefined
      return await this.#importSchema(argument.exprName)
    }
    if (!ts.isIndexedAccessTypeNode(node)) return undefined
    const whole = await this.#readSchema(node.objectType)
    if (whole === undefined) return undefined
    const part = unwrap(whole.node)
    if (node.indexType.kind === ts.SyntaxKind.NumberKeyword) {
      return { node: argumentOf(part), schema: whole.schema.items }
    }
    const name = node.indexType.getText().slice(1, -1)
    const member = listMembers(part, whole.schema).find((one) => one.name === name)
    return member && { node: unwrap(member.node), schema: member.schema }
  }

  async #importSchema (name: ts.EntityName): Promise<Schema> {
    const symbol = this.#checker.getSymbolAtLocation(name)
    const declaration = symbol && this.#resolve(symbol).declarations?.find(ts.isVariableDeclaration)
    if (declaration?.type === undefined) throw new Error(`there is no schema ${name.getText()}`)
    const declared = relative(this.#folder, declaration.getSourceFile().fileName)
    const file = declared.replace(/\.d\.ts$/, '.ts')
    const { [declaration.name.getText()]: schema } = await import(join(root, file))
    if (schema === undefined) throw new Error(`${file} must export ${declaration.name.getText()}`)
    return { node: declaration.type, schema }
  }

  /** Writes the type of a schema. */
  async #writeType (node: ts.TypeNode, schema: TSchema, path: string): Promise<string> {
    const type = unwrap(node)
    const argument = argumentOf(type)
    switch (nameOf(type)) {
      case 'TString':
        return 'string'
      case 'TNumber':
      case 'TInteger':
        return 'number'
      case 'TBoolean':
        return 'boolean'
      case 'TUnknown':
        return 'unknown'
      case 'TNull':
        return 'null'
      case 'TLiteral':
      case 'TUnsafe':
        return await this.#rewrite(argument, path)
      case 'TArray':
        return `Array<${await this.#writeType(argument, schema.items, path)}>`
      case 'TRecord': {
        const [value] = Object.values<TSchema>(schema.patternProperties ?? {})
        return `Record<string, ${await this.#writeType(argumentOf(type, 1), value, path)}>`
      }
      case 'TUnion':
        return await this.#writeUnion(argument, schema, path)
      case 'TObject':
        return `{\n${await this.#writeFields(type, schema, path)}\n}`
      default:
        throw new Error(`${path}: a schema of this form has no type here: ${type.getText()}`)
    }
  }

  async #writeUnion (list: ts.TypeNode, schema: TSchema, path: string): Promise<string> {
    const parts = ts.isTupleTypeNode(list) ? list.elements : [list]
    const objects = (schema.anyOf as TSchema[]).filter(({ type }) => type === 'object')
    const lists = (schema.anyOf as TSchema[]).filter(({ type }) => type === 'array')
    const written: string[] = []
    for (const part of parts) {
      const rest = ts.isRestTypeNode(part) ? part.type : part
      const type = unwrap(ts.isArrayTypeNode(rest) ? rest.elementType : (rest as ts.TypeNode))
      const own = { TObject: objects, TArray: lists }[nameOf(type)]?.shift()
      written.push(await this.#writeType(type, own ?? schema, path))
    }
    return written.join(' | ')
  }

  /** Writes the fields of an object, each with the description of its schema. */
  async #writeFields (node: ts.TypeNode, schema: TSchema, path: string): Promise<string> {
    const lines: string[] = []
    for (const { name, node: type, schema: field } of listMembers(unwrap(node), schema)) {
      const { description } = field
      if (description === undefined) this.undocumented.push(`${path}.${name}`)
      const mark = nameOf(type) === 'TOptional' ? '?' : ''
      const written = await this.#writeType(type, field, `${path}.${name}`)
      const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
      lines.push(`${writeComment(description)}${key}${mark}: ${written}`)
    }
    return lines.join('\n')
  }
}

/** A schema: its type, as the compiler writes it, and its value. */
interface Schema {
  node: ts.TypeNode
  schema: TSchema
}

/** Lists the fields of a schema of objects. */
function listMembers (type: ts.TypeNode, schema: TSchema): Array<Schema & { name: string }> {
  const fields = argumentOf(type)
  const properties = Object.entries<TSchema>(schema.properties)
  if (!ts.isTypeLiteralNode(fields)) {
    // Record<'deposits' | 'payouts', Field>
    return properties.map(([name, schema]) => ({ name, node: argumentOf(fields, 1), schema }))
  }
  return properties.map(([name, schema]) => {
    const member = fields.members.find((one) => nameOfField(one) === name)
    return { name, node: (member as ts.PropertySignature).type as ts.TypeNode, schema }
  })
}

function nameOfField ({ name }: ts.TypeElement): string | undefined {
  return name !== undefined && ts.isStringLiteral(name) ? name.text : name?.getText()
}

/** The type in `TOptional<…>`. */
function unwrap (node: ts.TypeNode): ts.TypeNode {
  return nameOf(node) === 'TOptional' ? unwrap(argumentOf(node)) : node
}

/** The name of a type of TypeBox. */
function nameOf (node: ts.TypeNode): string {
  if (ts.isImportTypeNode(node)) return node.qualifier?.getText() ?? ''
  return ts.isTypeReferenceNode(node) ? node.typeName.getText() : ''
}

function argumentOf (node: ts.TypeNode, index = 0): ts.TypeNode {
  return (node as ts.TypeReferenceNode).typeArguments?.[index] ?? node
}

/** Tells whether a declaration stands alone in its file, and is no parameter of a type. */
function isStatement (node: ts.Node): boolean {
  return ts.isVariableDeclaration(node) || ts.isSourceFile(node.parent)
}

function isTypeNode (node: ts.Node): boolean {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassLike(node)
}

function isTypeOnly (symbol: ts.Symbol): boolean {
  return symbol.declarations?.some((node) => ts.isTypeOnlyExportDeclaration(node)) === true
}

function readComment (node: ts.Node): string {
  const comment = ts.getJSDocCommentsAndTags(node).findLast((one) => ts.isJSDoc(one))
  return comment === undefined ? '' : `${comment.getText()}\n`
}

/** Writes a description as a sentence. */
function writeComment (description: string | undefined): string {
  if (description === undefined) return ''
  const sentence = description[0].toUpperCase() + description.slice(1).replaceAll('*/', '* /')
  const ended = /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`
  const lines = ended.match(/.{1,90}(?:\s|$)/g) ?? []
  if (lines.length === 1) return `/** ${ended} */\n`
  return `/**${lines.map((line) => `\n * ${line}`.trimEnd()).join('')}\n */\n`
}

/** Writes the declarations of a build. Returns the fields that have no description. */
export async function writeDeclarations (folder: string): Promise<string[]> {
  const declarations = new Declarations(folder)
  const text = await declarations.write()
  for (const path of globSync('**/*.d.ts', { cwd: folder })) rmSync(join(folder, path))
  writeFileSync(join(folder, 'src/index.d.ts'), text)
  return declarations.undocumented
}

if (import.meta.main) {
  const undocumented = await writeDeclarations(join(root, 'dist'))
  if (undocumented.length > 0) {
    console.error(`fields without a description in their schema: ${undocumented.join(', ')}`)
    process.exitCode = 1
  }
}

import * as Fs from "node:fs"
import * as Path from "node:path"
import ts from "typescript5"
import { writeClientInterface } from "../../src/packages/ClientInterface.ts"

const root = Path.join(import.meta.dirname, "../..")

/** An export of a package, with the text of its comment and the programs of the comment's `@example`. */
export interface PublicExport {
  /** The module as a user imports it, and the name that it exports. */
  readonly module: string
  readonly name: string
  readonly description: string
  readonly examples: ReadonlyArray<string>
  readonly isInternal: boolean
}

const parse = (file: string) =>
  ts.createSourceFile(file, Fs.readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)

const namesOf = (statement: ts.Statement): ReadonlyArray<string> => {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText())
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  return isNamed && statement.name !== undefined ? [statement.name.text] : []
}

const namesIn = (clause: ts.NamedExportBindings) =>
  ts.isNamespaceExport(clause) ? [clause.name.text] : clause.elements.map(({ name }) => name.text)

/** The module from which a file imports a name that it exports again. */
const importedFrom = (file: ts.SourceFile, name: string) =>
  file.statements
    .filter((statement) => ts.isImportDeclaration(statement))
    .filter(({ importClause }) => importClause?.namedBindings?.getText().match(new RegExp(`\\b${name}\\b`)) != null)
    .map(({ moduleSpecifier }) => (moduleSpecifier as ts.StringLiteral).text)
    .find((from) => from.startsWith("."))

const isExported = (statement: ts.Statement) =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false)

const textOf = (comment: ts.JSDoc["comment"]) => ts.getTextOfJSDocComment(comment)?.trim() ?? ""

const described = (module: string, name: string, node: ts.Node): PublicExport => {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const tags = comments.flatMap(({ tags: own }) => [...(own ?? [])])
  return {
    module,
    name,
    description: comments.map(({ comment }) => textOf(comment)).join("\n"),
    examples: tags
      .filter(({ tagName }) => tagName.text === "example")
      .map(({ comment }) => textOf(comment).replace(/^[^]*?```ts\n([^]*?)\n?```[^]*$/, "$1")),
    isInternal: tags.some(({ tagName }) => tagName.text === "internal")
  }
}

/** The exports of one file. A re-exported name has the description of its declaration. */
const exportsOf = (module: string, file: string): ReadonlyArray<PublicExport> =>
  parse(file).statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined) {
      const from = Path.join(Path.dirname(file), (statement.moduleSpecifier as ts.StringLiteral).text)
      const clause = statement.exportClause
      const all = exportsOf(module, from)
      if (clause !== undefined && ts.isNamespaceExport(clause)) {
        const own = described(module, clause.name.text, statement)
        // A namespace uses the example of its `layer`.
        const examples = all.filter(({ name }) => name === "layer").flatMap((one) => one.examples)
        return [{ ...own, examples }, ...all.map((one) => ({ ...one, name: `${own.name}.${one.name}` }))]
      }
      if (clause === undefined) return all
      return clause.elements.flatMap(({ name, propertyName }) => {
        const own = (propertyName ?? name).text
        const found = all.filter((one) => one.name === own)
        return found.length === 0
          ? [described(module, name.text, statement)]
          : found.map((one) => ({ ...one, name: name.text }))
      })
    }
    if (ts.isExportDeclaration(statement) && statement.exportClause !== undefined)
      return namesIn(statement.exportClause).flatMap((name) => {
        const from = importedFrom(statement.getSourceFile(), name)
        const found = from === undefined ? [] : exportsOf(module, Path.join(Path.dirname(file), from))
        const same = found.filter((one) => one.name === name)
        return same.length === 0 ? [described(module, name, statement)] : same
      })
    return isExported(statement) ? namesOf(statement).map((name) => described(module, name, statement)) : []
  })

const manifest = (folder: string): { readonly name: string; readonly exports: Readonly<Record<string, string>> } =>
  JSON.parse(Fs.readFileSync(Path.join(root, folder, "package.json"), "utf8"))

writeClientInterface()

/**
 * All exports of the service's and the client's package, from the sources of their modules.
 * A type and a value with one name count as one.
 */
export const publicExports: ReadonlyArray<PublicExport> = ["", "src/clients/typescript"].flatMap((folder) => {
  const { exports, name } = manifest(folder)
  return Object.entries(exports).flatMap(([path, file]) => {
    const all = exportsOf(Path.posix.join(name, path), Path.join(root, folder, file))
    return [...Map.groupBy(all, (one) => one.name).values()].map(
      (same) => same.find(({ examples }) => examples.length > 0) ?? same[0]!
    )
  })
})

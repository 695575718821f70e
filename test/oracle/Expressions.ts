import { figure, quotient, sum, times } from "./Figures.ts"
import { attributeOf, type XmlElement } from "./XmlTree.ts"

/*
 * Expressions of the authority's formulas: a part of XPath with exact decimals. A path has names, attributes
 * (`@unitCode`), `..`, and conditions in brackets: a position, a path that must exist (or `not` exist), or the text
 * that a path must have. `current()` begins a path at the place of the whole expression.
 */

/** An element with all its ancestors, from the root to the element itself. */
export type Place = ReadonlyArray<XmlElement>

/** The places that a path finds at a place. */
export type Path = (at: Place, current?: Place) => ReadonlyArray<Place>

/** The figure of an expression at a place, in millionths. A path returns the first figure that it finds, or zero. */
export type Expression = (at: Place) => bigint

type Condition = (at: Place, current: Place, position: number) => boolean

interface Text {
  readonly tokens: ReadonlyArray<string>
  at: number
}

const textOf = (place: Place | undefined) => place?.at(-1)?.text

const peek = ({ at, tokens }: Text): string => tokens[at] ?? ""

const next = (text: Text): string => {
  const token = peek(text)
  text.at += 1
  return token
}

const takes = (text: Text, token: string): boolean => {
  const is = peek(text) === token
  if (is) text.at += 1
  return is
}

const must = (text: Text, token: string): void => {
  if (!takes(text, token)) throw new SyntaxError(`no "${token}" before "${text.tokens.slice(text.at).join(" ")}"`)
}

const within = <A>(text: Text, open: string, read: (text: Text) => A, close: string): A => {
  must(text, open)
  const found = read(text)
  must(text, close)
  return found
}

const isNumber = (token: string) => /^\d+$/.test(token)

const conditionIn = (text: Text): Condition => {
  if (isNumber(peek(text))) {
    const wanted = next(text)
    return (_at, _current, position) => String(position) === wanted
  }
  if (takes(text, "not")) {
    const path = within(text, "(", pathIn, ")")
    return (at, current) => path(at, current).length === 0
  }
  const path = pathIn(text)
  if (!takes(text, "=")) return (at, current) => path(at, current).length > 0
  if (!takes(text, "current()")) {
    const literal = next(text).slice(1, -1)
    return (at, current) => path(at, current).some((place) => textOf(place) === literal)
  }
  must(text, "/")
  const other = pathIn(text)
  return (at, current) => {
    const wanted = textOf(other(current)[0])
    return path(at, current).some((place) => textOf(place) === wanted)
  }
}

const stepIn = (text: Text): Path => {
  if (takes(text, "..")) return (at) => [at.slice(0, -1)]
  const name = next(text)
  if (name.startsWith("@")) {
    return (at) => [[...at, { name, attributes: "", text: attributeOf(at.at(-1), name.slice(1)) ?? "", children: [] }]]
  }
  const conditions: Array<Condition> = []
  while (peek(text) === "[") conditions.push(within(text, "[", conditionIn, "]"))
  return (at, current = at) => {
    const children = (at.at(-1)?.children ?? []).filter((child) => child.name === name)
    return conditions.reduce<ReadonlyArray<Place>>(
      (places, condition) => places.filter((place, index) => condition(place, current, index + 1)),
      children.map((child) => [...at, child])
    )
  }
}

const pathIn = (text: Text): Path => {
  const isAbsolute = takes(text, "/")
  const steps = [stepIn(text)]
  while (takes(text, "/")) steps.push(stepIn(text))
  return (at, current = at) =>
    steps.reduce<ReadonlyArray<Place>>(
      (places, step) => places.flatMap((place) => step(place, current)),
      [isAbsolute ? at.slice(0, 1) : at]
    )
}

const operandIn = (text: Text): Expression => {
  if (isNumber(peek(text))) {
    const value = figure(next(text))
    return () => value
  }
  if (takes(text, "sum")) {
    const path = within(text, "(", pathIn, ")")
    return (at) => sum(path(at).map((place) => figure(textOf(place))))
  }
  const path = pathIn(text)
  return (at) => figure(textOf(path(at)[0]))
}

/** Operands with operators between them, evaluated from left to right. */
const operations =
  (operand: (text: Text) => Expression, operators: Readonly<Record<string, (a: bigint, b: bigint) => bigint>>) =>
  (text: Text): Expression => {
    let all = operand(text)
    for (let apply = operators[peek(text)]; apply !== undefined; apply = operators[peek(text)]) {
      text.at += 1
      const [left, operator, right] = [all, apply, operand(text)]
      all = (at) => operator(left(at), right(at))
    }
    return all
  }

const expressionIn = operations(operations(operandIn, { "*": times, div: quotient }), {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b
})

const token = /'[^']*'|\d+|\.\.|current\(\)|\w+:\w+|@?\w+|[-+*/=()[\]]/g

const parsed = <A>(read: (text: Text) => A, source: string): A => {
  const text: Text = { tokens: source.match(token) ?? [], at: 0 }
  const found = read(text)
  if (text.at < text.tokens.length) throw new SyntaxError(`"${peek(text)}" in "${source}" is not understood`)
  return found
}

export const parsedPath = (source: string): Path => parsed(pathIn, source)
export const parsedExpression = (source: string): Expression => parsed(expressionIn, source)

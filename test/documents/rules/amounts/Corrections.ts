import { assert } from "@effect/vitest"
import type { Violation } from "../../../../schemas/ApiError.ts"
import type { InvoiceRequest } from "../../../../schemas/Invoice.ts"

/* The client's correction: it writes each figure of the response at the path that the response names. */

const stepsOf = (path: string) => path.replaceAll("]", "").split(/[.[]/)

/** The request with the figure at a path, such as `lines[0].taxes[0].value`, changed. */
export const withFigure = (
  request: InvoiceRequest,
  path: string,
  change: (figure: string) => string
): InvoiceRequest => {
  const copy = structuredClone(request)
  const steps = stepsOf(path)
  // oxlint-disable-next-line typescript/no-explicit-any -- a path is looked up by its steps
  const holder = steps.slice(0, -1).reduce<any>((value, name) => value[name], copy)
  const last = steps.at(-1) ?? ""
  holder[last] = change(holder[last])
  return copy
}

/** The request with every figure of the violations; fails if a violation has none. */
export const corrected = (request: InvoiceRequest, violations: ReadonlyArray<Violation>): InvoiceRequest =>
  violations.reduce((changed, { message, param }) => {
    const figure = /must be (?:at most )?"([^"]+)"/.exec(message)?.[1]
    if (figure === undefined) assert.fail(`no figure in: ${message}`)
    return withFigure(changed, param, () => figure)
  }, request)

/** The paths of the figures that a client computes from other figures. */
export const figuresOf = ({ allowance_charges = [], lines, operation_type, withholdings = [] }: InvoiceRequest) => [
  ...lines.flatMap((line, index) => [
    ...(line.allowance_charges ?? []).flatMap(({ percent }, at) =>
      percent === undefined ? [] : [`lines[${index}].allowance_charges[${at}].amount`]
    ),
    `lines[${index}].line_extension_amount`,
    ...line.taxes.flatMap(({ base, code }, at) => {
      const path = `lines[${index}].taxes[${at}]`
      const isFree = base === undefined || code === "ZZ" || operation_type === "09" || line.special_base !== undefined
      return [...(isFree ? [] : [`${path}.base`]), `${path}.value`]
    })
  ]),
  ...allowance_charges.flatMap(({ percent }, at) => (percent === undefined ? [] : [`allowance_charges[${at}].amount`])),
  ...withholdings.map((_, at) => `withholdings[${at}].value`)
]

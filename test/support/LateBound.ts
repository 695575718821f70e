const targets = new WeakMap<object, object>()

/** The object whose methods a test replaces: for a port of `lateBound`, the object behind the port's methods. */
export const targetOf = <Port extends object>(port: Port): Port => (targets.get(port) as Port | undefined) ?? port

/**
 * A port with replaceable methods. A replacement also reaches callers that have taken a method out of the port before.
 */
export const lateBound = <Port extends object>(port: Port): Port => {
  const target = { ...port } as Record<string, unknown>
  const members = Object.entries(target).map(([name, member]) => {
    const late = (...args: Array<never>) => (target[name] as (...all: Array<never>) => unknown)(...args)
    return [name, typeof member === "function" ? late : member] as const
  })
  const bound = Object.fromEntries(members) as Port
  targets.set(bound, target)
  return bound
}

interface Edit {
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

/** A guard of the service, broken, and the tests that must fail. */
export interface Mutant {
  readonly name: string
  /** The guard, and the guard behind it if there is a second one. */
  readonly edits: ReadonlyArray<Edit>
  readonly tests: ReadonlyArray<string>
}

/**
 * Mutants of one file that the same tests must detect. The key is the mutant's name; the value maps each text to its
 * replacement.
 */
export const guards = (
  file: string,
  tests: string | ReadonlyArray<string>,
  mutants: Readonly<Record<string, Readonly<Record<string, string>>>>
): ReadonlyArray<Mutant> =>
  Object.entries(mutants).map(([name, texts]) => ({
    name,
    edits: Object.entries(texts).map(([find, replace]) => ({ file, find, replace })),
    tests: [tests].flat()
  }))

interface Edit {
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

/** A guard of the service, broken, and the tests that must notice. */
export interface Mutant {
  readonly name: string
  /** The guard, and after it the one that stands behind it, if there is one. */
  readonly edits: ReadonlyArray<Edit>
  readonly tests: ReadonlyArray<string>
}

/** Mutants of one file that the same tests must notice: by name, each text that is found, and what takes its place. */
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

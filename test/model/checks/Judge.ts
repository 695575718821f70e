import type { AuditorOptions } from "./Auditor.ts"
import type { Journal } from "./Journal.ts"

/** A part of the reference model: its knowledge, and its channel for findings. */
export abstract class Judge {
  protected readonly journal: Journal
  protected readonly options: AuditorOptions
  protected readonly say: (finding: string) => void

  constructor(journal: Journal, options: AuditorOptions, say: (finding: string) => void) {
    this.journal = journal
    this.options = options
    this.say = say
  }
}

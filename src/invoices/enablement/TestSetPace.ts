import { Context, Duration } from "effect"

/** Pace of a test set's documents and of the look-ups of their verdicts. */
interface Pace {
  /** How long a document waits for its verdict while the authority responds, before another document replaces it. */
  readonly patience: Duration.Duration
  /** The pause before the first look-up of a verdict. Each further pause is twice as long, up to `askAtMost`. */
  readonly askAfter: Duration.Duration
  readonly askAtMost: Duration.Duration
  /** The longest pause between two calls to an authority that does not respond. */
  readonly retryAtMost: Duration.Duration
  /** The documents of a test set that may wait for their verdicts at a time. */
  readonly openMax: number
}

/** @internal The pace of enablement. */
export class TestSetPace extends Context.Reference<Pace>("folio/invoices/enablement/TestSetPace", {
  defaultValue: () => ({
    patience: Duration.minutes(5),
    askAfter: Duration.seconds(1),
    askAtMost: Duration.seconds(15),
    retryAtMost: Duration.minutes(1),
    openMax: 4
  })
}) {}

const doubled = (first: Duration.Duration, times: number, most: Duration.Duration) =>
  Math.min(Duration.toMillis(first) * 2 ** Math.min(times, 30), Duration.toMillis(most))

/** Milliseconds until the next look-up of a document's verdict, after `asked` look-ups. */
export const askDelayMs = ({ askAfter, askAtMost }: Pace, asked: number): number => doubled(askAfter, asked, askAtMost)

/** Milliseconds until the next call to the authority, after `troubles` calls without a response. */
export const retryDelayMs = ({ askAfter, retryAtMost }: Pace, troubles: number): number =>
  doubled(askAfter, troubles, retryAtMost)

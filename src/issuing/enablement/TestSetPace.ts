import { Context, Duration } from "effect"

/** How patiently, and how fast, the documents of a test set are sent and their verdicts asked for. */
interface Pace {
  /** How long a document waits for its verdict while the authority answers, before another document takes its place. */
  readonly patience: Duration.Duration
  /** The pause before the first question for a verdict; each further pause is twice as long, up to `askAtMost`. */
  readonly askAfter: Duration.Duration
  readonly askAtMost: Duration.Duration
  /** The longest pause between two calls of an authority that does not answer. */
  readonly retryAtMost: Duration.Duration
  /** How many documents of a test set may wait for their verdicts at a time. */
  readonly openMax: number
}

/** @internal The pace of enablement. */
export class TestSetPace extends Context.Reference<Pace>("folio/issuing/TestSetPace", {
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

/** Milliseconds until a document's verdict is asked for, after it was asked for `asked` times. */
export const askDelayMs = ({ askAfter, askAtMost }: Pace, asked: number): number => doubled(askAfter, asked, askAtMost)

/** Milliseconds until the authority is called again after so many calls without an answer. */
export const retryDelayMs = ({ askAfter, retryAtMost }: Pace, troubles: number): number =>
  doubled(askAfter, troubles, retryAtMost)

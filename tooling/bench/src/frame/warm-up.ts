/** A server's first seconds under a load: the engine compiles what a request passes through. */
export interface WarmUp {
  readonly seconds: number
  readonly requests: number
  /** Answers (events) in a second, step by step. */
  readonly rates: readonly number[]
  /** Until the step that was the last to be better than those before it, and what was answered until then. */
  readonly steadyAfter: { readonly seconds: number; readonly requests: number }
  /** Whether it ended since nothing got better, and not since there was no more time. */
  readonly steady: boolean
}

export interface WarmUpStep {
  readonly seconds: number
  readonly requests: number
  readonly rate: number
  /** Of one answer: the server's processor time, which other load on the machine disturbs less, or else the time it took. */
  readonly cost: number
}

export interface WarmUpLimits {
  readonly leastRequests: number
  readonly mostSeconds: number
}

/** Less than this is no improvement. */
const better = 0.95
/** Steps in turn that must be none. */
const enough = 2

/** Goes on until answers cost no less than before, twice in turn. */
export async function warmUntilSteady(step: () => Promise<WarmUpStep>, { leastRequests, mostSeconds }: WarmUpLimits): Promise<WarmUp> {
  const rates: number[] = []
  let seconds = 0
  let requests = 0
  let best = Infinity
  let steadyAfter = { seconds, requests }
  let same = 0
  while (seconds < mostSeconds && !(same >= enough && requests >= leastRequests)) {
    const done = await step()
    rates.push(done.rate)
    seconds += done.seconds
    requests += done.requests
    if (done.cost < best * better) {
      best = done.cost
      steadyAfter = { seconds, requests }
      same = 0
    } else same++
  }
  return { seconds, requests, rates, steadyAfter, steady: same >= enough && requests >= leastRequests }
}

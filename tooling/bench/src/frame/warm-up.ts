/** The first seconds of a server under load, while the engine compiles its code. */
export interface WarmUp {
  readonly seconds: number
  readonly requests: number
  /** Responses or events per second, for each step. */
  readonly rates: readonly number[]
  /** Time and number of responses until the last step with an improvement. */
  readonly steadyAfter: { readonly seconds: number; readonly requests: number }
  /** True if it ended because nothing improved, false if it reached the time limit. */
  readonly steady: boolean
}

export interface WarmUpStep {
  readonly seconds: number
  readonly requests: number
  readonly rate: number
  /** Per response: the server's processor time, which other load affects less, or else the elapsed time. */
  readonly cost: number
}

export interface WarmUpLimits {
  readonly minRequests: number
  readonly maxSeconds: number
}

/** Costs above this ratio do not count as an improvement. */
const better = 0.95
/** Number of consecutive steps without improvement. */
const enough = 2

/** Continues until costs have not decreased in two consecutive steps. */
export async function warmUntilSteady(step: () => Promise<WarmUpStep>, { minRequests, maxSeconds }: WarmUpLimits): Promise<WarmUp> {
  const rates: number[] = []
  let seconds = 0
  let requests = 0
  let best = Infinity
  let steadyAfter = { seconds, requests }
  let same = 0
  while (seconds < maxSeconds && !(same >= enough && requests >= minRequests)) {
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
  return { seconds, requests, rates, steadyAfter, steady: same >= enough && requests >= minRequests }
}

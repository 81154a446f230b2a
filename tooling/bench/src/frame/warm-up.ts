/** The first seconds of a server under load, while the engine compiles its code. */
export interface WarmUp {
  readonly seconds: number
  readonly requests: number
  /** Responses or events per second, for each step. */
  readonly rates: readonly number[]
  /** Time and number of responses until the costs stopped falling. */
  readonly steadyAfter: { readonly seconds: number; readonly requests: number }
  /** True if the costs stopped falling, false if the warm-up reached its time limit before. */
  readonly steady: boolean
}

export interface WarmUpStep {
  readonly seconds: number
  readonly requests: number
  readonly rate: number
  /**
   * Cost per response. It is the server's processor time if that is known, because other load on the machine affects it less. Otherwise it
   * is the elapsed time.
   */
  readonly cost: number
}

export interface WarmUpLimits {
  readonly minRequests: number
  readonly maxSeconds: number
}

/** Maximum ratio of a step's cost to the best cost so far that counts as an improvement. */
const better = 0.95
/** Number of consecutive steps without improvement that end the warm-up. */
const enough = 2

/** Repeats a warm-up step until the cost has not decreased in two consecutive steps, or until the time limit. */
export async function warmUntilSteady(step: () => Promise<WarmUpStep>, { minRequests, maxSeconds }: WarmUpLimits): Promise<WarmUp> {
  const rates: number[] = []
  let seconds = 0
  let requests = 0
  let best = Infinity
  let steadyAfter = { seconds, requests }
  let stableRounds = 0
  while (seconds < maxSeconds && !(stableRounds >= enough && requests >= minRequests)) {
    const responses = await step()
    rates.push(responses.rate)
    seconds += responses.seconds
    requests += responses.requests
    if (responses.cost < best * better) {
      best = responses.cost
      steadyAfter = { seconds, requests }
      stableRounds = 0
    } else stableRounds++
  }
  return { seconds, requests, rates, steadyAfter, steady: stableRounds >= enough && requests >= minRequests }
}

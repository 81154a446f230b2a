import type { Case, Step } from '../cases/case.ts'
import { isHarmless } from '../cases/harmless.ts'
import { listLocations } from '../cases/locations.ts'

/**
 * Minimizes a case: returns a smaller case for which `still` returns true. Removes steps, then fields and list items of request bodies.
 * Never removes the last step. Plays at most `budget` cases.
 */
export async function minimize(original: Case, still: (smaller: Case) => Promise<boolean>, budget: number): Promise<Case> {
  let best = original
  let remaining = budget
  const holds = async (smaller: Case): Promise<boolean> => {
    if (remaining === 0 || !smaller.steps.every(isHarmless)) return false
    remaining--
    if (!(await still(smaller))) return false
    best = smaller
    return true
  }
  for (let at = best.steps.length - 2; at >= 0; at--) await holds({ ...best, steps: best.steps.toSpliced(at, 1) })
  for (let step = best.steps.length - 1; step >= 0; step--)
    for (let location = 0, tried = shrinkBody(best.steps[step]!, 0); tried !== undefined && remaining > 0;) {
      // Do not advance after a removal, because the next value now has this index.
      if (!(await holds({ ...best, steps: best.steps.with(step, tried) }))) location++
      tried = shrinkBody(best.steps[step]!, location)
    }
  return best
}

/** Returns the body of a step without the value at an index of `listLocations`. Returns undefined if there is no such index. */
function shrinkBody(step: Step, location: number): Step | undefined {
  if (step.body === undefined || typeof step.body === 'string') return undefined
  const body = structuredClone(step.body)
  const place = listLocations(body, undefined)[location]
  if (place === undefined) return undefined
  place.remove()
  return { ...step, body }
}

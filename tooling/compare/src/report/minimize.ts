import type { Case, Step } from '../cases/case.ts'
import { isHarmless } from '../cases/harmless.ts'
import { sitesOf } from '../cases/sites.ts'

/**
 * A smaller case of which `still` holds: without steps, then without members and items of bodies, as long as it holds and `budget` trials are not used up.
 * The last step stays.
 */
export async function minimize(whole: Case, still: (smaller: Case) => Promise<boolean>, budget: number): Promise<Case> {
  let best = whole
  let left = budget
  const holds = async (smaller: Case): Promise<boolean> => {
    if (left === 0 || !smaller.steps.every(isHarmless)) return false
    left--
    if (!(await still(smaller))) return false
    best = smaller
    return true
  }
  for (let at = best.steps.length - 2; at >= 0; at--) await holds({ ...best, steps: best.steps.toSpliced(at, 1) })
  for (let step = best.steps.length - 1; step >= 0; step--)
    for (let site = 0, tried = smallerBody(best.steps[step]!, 0); tried !== undefined && left > 0;) {
      // After a removal the next site has the same index.
      if (!(await holds({ ...best, steps: best.steps.with(step, tried) }))) site++
      tried = smallerBody(best.steps[step]!, site)
    }
  return best
}

/** Without the place with this number; outer places have smaller ones. Undefined when there are fewer. */
function smallerBody(step: Step, site: number): Step | undefined {
  if (step.body === undefined || typeof step.body === 'string') return undefined
  const body = structuredClone(step.body)
  const place = sitesOf(body, undefined)[site]
  if (place === undefined) return undefined
  place.remove()
  return { ...step, body }
}

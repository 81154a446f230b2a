import { quote, TimeSlice } from '@keelson/apimachinery'
import type { Pod } from '@keelson/api/core/v1'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import { evaluatePod, violationReasons } from './evaluate-pod.ts'
import { podOf } from './pod-of.ts'
import { levelVersionText } from './policy.ts'
import type { LevelVersion } from './policy.ts'

const maxPods = 3000
const maxDuration = 1000
/** Number of pods evaluated between two checks of the clock. */
const podsPerLook = 20

export interface ExistingPodsOptions {
  readonly namespace: string
  readonly enforce: LevelVersion
  readonly exemptRuntimeClasses: ReadonlySet<string>
  readonly clock: Clock
}

/** Warns the author of a label about existing pods that violate it; the pods stay. */
export async function warnOfExistingPods(pods: readonly DeepReadonly<Pod>[], options: ExistingPodsOptions): Promise<string[]> {
  const { namespace, enforce, exemptRuntimeClasses, clock } = options
  const all = onePerController(pods.filter(({ spec }) => !exemptRuntimeClasses.has(spec?.runtimeClassName ?? '')))
  const until = clock.now() + maxDuration
  const names = new Map<string, string[]>()
  const slice = new TimeSlice(podsPerLook)
  let checked = 0
  for (const pod of all.slice(0, maxPods)) {
    const violations = evaluatePod(enforce, podOf(pod))
    if (violations.length > 0) {
      const reasons = violationReasons(violations)
      const same = names.get(reasons)
      if (same === undefined) names.set(reasons, [pod.metadata.name ?? ''])
      else same.push(pod.metadata.name ?? '')
    }
    checked += 1
    if (clock.now() >= until) break
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  const level = levelVersionText(enforce)
  return [
    ...(checked < all.length
      ? [`new PodSecurity enforce level only checked against the first ${checked} of ${all.length} existing pods`]
      : []),
    ...(names.size > 0 ? [`existing pods in namespace ${quote(namespace)} violate the new PodSecurity enforce level ${quote(level)}`] : []),
    ...Array.from(names, ([reasons, of]) => `${who(of)}: ${reasons}`).toSorted(),
  ]
}

/** Puts one pod of each controller first: its others are probably alike. */
function onePerController(pods: readonly DeepReadonly<Pod>[]): readonly DeepReadonly<Pod>[] {
  const controllers = new Set<string>()
  const sameController: DeepReadonly<Pod>[] = []
  const first = pods.filter((pod) => {
    const controller = pod.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid
    if (controller === undefined) return true
    if (controllers.has(controller)) return void sameController.push(pod)
    controllers.add(controller)
    return true
  })
  return [...first, ...sameController]
}

function who(names: readonly string[]): string {
  const first = names.toSorted()[0]!
  const others = names.length - 1
  return others === 0 ? first : `${first} (and ${others} other ${others === 1 ? 'pod' : 'pods'})`
}

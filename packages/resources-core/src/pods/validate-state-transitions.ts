import type { Container, ContainerStatus, Pod } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { ReadonlyPodSpec } from '../pod-spec/visit-containers.ts'

type Statuses = readonly DeepReadonly<ContainerStatus>[]
type MayRestart = (name: string, exitCode: number) => boolean

/** Rejects status updates that restart a terminated container against its restart policy. */
export function validateStateTransitions(pod: DeepReadonly<Pod>, old: DeepReadonly<Pod>, path: FieldPath): FieldErrorList {
  const spec = old.spec ?? { containers: null }
  const check = (
    member: 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses',
    mayRestart: MayRestart,
  ): FieldErrorList => validateTransitions(pod.status?.[member] ?? [], old.status?.[member] ?? [], { mayRestart, path: path.child(member) })
  const anyMayRestart = canAllContainersRestart(spec)
  const containers = indexContainersByName(spec.containers ?? [])
  const initContainers = indexContainersByName(spec.initContainers ?? [])
  return [
    ...check('containerStatuses', (name, exitCode) => anyMayRestart || shouldRestart(containers.get(name), spec, exitCode)),
    ...check('initContainerStatuses', (name, exitCode) => anyMayRestart || shouldRestart(initContainers.get(name), spec, exitCode)),
    ...check('ephemeralContainerStatuses', () => false),
  ]
}

function validateTransitions(
  statuses: Statuses,
  old: Statuses,
  { mayRestart, path }: { readonly mayRestart: MayRestart; readonly path: FieldPath },
): FieldErrorList {
  const running = new Set(statuses.flatMap(({ name, state }) => (state?.terminated === undefined ? [name] : [])))
  return old.flatMap(({ name, state }, i) => {
    const terminated = state?.terminated
    if (terminated === undefined) return []
    if (!running.has(name) || mayRestart(name, terminated.exitCode)) return []
    return [fieldError.forbidden(path.index(i).child('state'), 'may not be transitioned to non-terminated state')]
  })
}

function indexContainersByName(containers: readonly DeepReadonly<Container>[]): ReadonlyMap<string, DeepReadonly<Container>> {
  return new Map(containers.map((container) => [container.name, container]))
}

function canAllContainersRestart(spec: ReadonlyPodSpec): boolean {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])].some((container) =>
    (container.restartPolicyRules ?? []).some(({ action }) => action === 'RestartAllContainers'),
  )
}

/**
 * Returns whether a terminated container is restarted. The restart rules of the container take precedence over its restart policy, which
 * takes precedence over the policy of the pod.
 */
function shouldRestart(container: DeepReadonly<Container> | undefined, spec: ReadonlyPodSpec, exitCode: number): boolean {
  if (container === undefined) return false
  if (container.restartPolicy !== undefined && matchesRule(container, exitCode)) return true
  switch (container.restartPolicy || spec.restartPolicy) {
    case 'OnFailure':
      return exitCode !== 0
    case 'Never':
      return false
    default:
      return true
  }
}

function matchesRule(container: DeepReadonly<Container>, exitCode: number): boolean {
  return (container.restartPolicyRules ?? []).some(({ exitCodes }) => {
    const listed = (exitCodes?.values ?? []).includes(exitCode)
    if (exitCodes?.operator === 'In') return listed
    return exitCodes?.operator === 'NotIn' && !listed
  })
}

import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { PodRules } from './pod-rules.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

const segment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const format = `^(${segment}[\\./])*${segment}$`
const pattern = new RegExp(format)
const maxLength = 253

const ipcSysctls: ReadonlySet<string> = new Set([
  'kernel.sem',
  ...['all', 'max', 'mni', '_rmid_forced', ''].map((suffix) => `kernel.shm${suffix}`),
  ...['max', 'mnb', 'mni', ''].map((suffix) => `kernel.msg${suffix}`),
])

/** Validates the sysctls of a pod. `contextPath` is the path of the pod's security context. */
export function validateSysctls(spec: ReadonlyPodSpec, rules: PodRules, contextPath: FieldPath): FieldErrorList {
  const { sysctls } = spec.securityContext ?? {}
  if (sysctls === undefined) return []
  const path = contextPath.child('sysctls')
  const errors: FieldErrorList = []
  const names = new Set<string>()
  for (const [i, { name = '' }] of sysctls.entries()) {
    const at = path.index(i).child('name')
    if (name === '') errors.push(fieldError.required(at))
    else if (name.length > maxLength || !pattern.test(name)) {
      errors.push(fieldError.invalid(at, name, `must have at most ${maxLength} characters and match regex ${format}`))
    } else if (names.has(name)) errors.push(fieldError.duplicate(at, name))
    const conflict = rules.allowHostNamespaceSysctls ? undefined : findSysctlError(name, spec)
    if (conflict !== undefined) errors.push(fieldError.invalid(at, name, conflict))
    names.add(name)
  }
  return errors
}

/** Returns an error message if the sysctl belongs to a Linux namespace that the pod shares with the host. */
export function findSysctlError(name: string, spec: ReadonlyPodSpec): string | undefined {
  const namespace = findSysctlNamespace(name)
  if (spec.hostNetwork === true && namespace === 'net') return "may not be specified when 'hostNetwork' is true"
  if (spec.hostIPC === true && namespace === 'ipc') return "may not be specified when 'hostIPC' is true"
  return undefined
}

function findSysctlNamespace(name: string): 'net' | 'ipc' | undefined {
  const dotted = toDottedName(name).replace(/\*.*$/s, '')
  if (ipcSysctls.has(dotted) || dotted.startsWith('fs.mqueue.')) return 'ipc'
  return dotted.startsWith('net.') ? 'net' : undefined
}

/** Returns the name of a sysctl with dots as separators. The separator of a name is the first "/" or "." in it. */
function toDottedName(name: string): string {
  const separator = /[./]/.exec(name)?.[0]
  if (separator !== '/') return name
  return name.replace(/[./]/g, (char) => (char === '/' ? '.' : '/'))
}

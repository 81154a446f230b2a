import type { Container, PodSpec } from '@keelson/api/core/v1'
import { describe, expect, it } from 'vitest'
import { evaluatePod, formatViolationDetails, formatViolationReasons } from './evaluate-pod.ts'
import { extractPod } from './check.ts'
import type { LevelVersion } from './policy.ts'

const good: Container = {
  name: 'a',
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  },
}
interface Case {
  readonly spec?: Partial<PodSpec>
  readonly container?: Partial<Container>
  readonly context?: Container['securityContext']
  readonly annotations?: Record<string, string>
}
const evaluate = (level: LevelVersion['level'], version: string, { spec, container, context, annotations = {} }: Case) => {
  const only = { ...good, ...container, securityContext: { ...good.securityContext, ...context } }
  return evaluatePod({ level, version }, extractPod({ metadata: { annotations }, spec: { containers: [only], ...spec } } as never))
}
const evaluateDetails = (level: LevelVersion['level'], version: string, of: Case): string =>
  formatViolationDetails(evaluate(level, version, of))

it('allows a restricted pod at every level, and every pod at the privileged level', () => {
  for (const version of ['latest', 'v1.0', 'v1.99']) expect(evaluateDetails('restricted', version, {})).toBe('')
  expect(evaluateDetails('privileged', 'latest', { spec: { hostNetwork: true } })).toBe('')
})

it('reports baseline violations first, and each check once', () => {
  const pod: Case = { spec: { hostNetwork: true, containers: [{ name: 'c', securityContext: { privileged: true } }] } }
  expect(evaluateDetails('baseline', 'latest', pod)).toBe(
    'host namespaces (hostNetwork=true), privileged (container "c" must not set securityContext.privileged=true)',
  )
  expect(formatViolationReasons(evaluate('restricted', 'latest', pod))).toBe(
    'host namespaces, privileged, allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile',
  )
})

describe('baseline', () => {
  it.each<[string, Case]>([
    [
      'forbidden AppArmor profile (container "a" must not set AppArmor profile type to "Unconfined")',
      { context: { appArmorProfile: { type: 'Unconfined' } } },
    ],
    [
      'forbidden AppArmor profiles (pod and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/a="unconfined"")',
      {
        spec: { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
        annotations: { 'container.apparmor.security.beta.kubernetes.io/a': 'unconfined', other: 'x' },
      },
    ],
    [
      'non-default capabilities (container "a" must not include "NET_RAW", "SYS_TIME" in securityContext.capabilities.add)',
      { context: { capabilities: { add: ['SYS_TIME', 'CHOWN', 'NET_RAW'] } } },
    ],
    ['host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)', { spec: { hostIPC: true, hostPID: true, hostNetwork: true } }],
    ['hostPath volumes (volume "v")', { spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } }],
    [
      'hostPort (container "a" uses hostPorts 443, 80)',
      {
        container: {
          ports: [
            { containerPort: 1, hostPort: 80 },
            { containerPort: 2, hostPort: 443 },
          ],
        },
      },
    ],
    [
      'probe or lifecycle host (container "a" uses probe or lifecycle host "h")',
      { container: { livenessProbe: { httpGet: { host: 'h', port: 1 } }, lifecycle: { preStop: { tcpSocket: { host: 'h', port: 1 } } } } },
    ],
    ['procMount (container "a" must not set securityContext.procMount to "Unmasked")', { context: { procMount: 'Unmasked' } }],
    [
      'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: type "t"; user may not be set; role may not be set)',
      { spec: { securityContext: { seLinuxOptions: { user: 'u' } } }, context: { seLinuxOptions: { type: 't', role: 'r' } } },
    ],
    [
      'seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
      { context: { seccompProfile: { type: 'Unconfined' } } },
    ],
    ['forbidden sysctls (kernel.msgmax)', { spec: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } } }],
    [
      'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
      { spec: { securityContext: { windowsOptions: { hostProcess: true } } } },
    ],
  ])('%s', (expected, pod) => {
    expect(evaluateDetails('baseline', 'latest', pod)).toBe(expected)
  })
})

describe('restricted', () => {
  it.each<[string, Case]>([
    [
      'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
      { context: { allowPrivilegeEscalation: true } },
    ],
    [
      'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN" in securityContext.capabilities.add)',
      { context: { capabilities: { add: ['CHOWN', 'NET_BIND_SERVICE'] } } },
    ],
    [
      'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
      {
        spec: {
          volumes: [
            { name: 'v', nfs: { server: 's', path: '/' } },
            { name: 'w', hostPath: { path: '/' } },
            { name: 'x', emptyDir: {} },
          ],
        },
      },
    ],
    ['runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)', { spec: { securityContext: { runAsNonRoot: false } } }],
    ['runAsUser=0 (container "a" must not set runAsUser=0)', { context: { runAsUser: 0 } }],
  ])('%s', (expected, pod) => {
    expect(evaluateDetails('restricted', 'latest', pod)).toBe(expected)
  })

  it('applies pod-level settings to containers without their own', () => {
    const containers = [{ name: 'a', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }]
    expect(evaluateDetails('restricted', 'latest', { spec: { containers } })).toBe(
      'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    )
    const securityContext = { runAsNonRoot: true, seccompProfile: { type: 'Localhost' } }
    expect(evaluateDetails('restricted', 'latest', { spec: { containers, securityContext } })).toBe('')
  })
})

it('evaluates each version with its own rules', () => {
  const evaluateReasons = (version: string, pod: Case): string => formatViolationReasons(evaluate('restricted', version, pod))
  const sysctl: Case = { spec: { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] } } }
  expect([evaluateReasons('v1.31', sysctl), evaluateReasons('v1.32', sysctl)]).toEqual(['forbidden sysctls', ''])
  const engine: Case = { context: { seLinuxOptions: { type: 'container_engine_t' } } }
  expect([evaluateReasons('v1.30', engine), evaluateReasons('v1.31', engine)]).toEqual(['seLinuxOptions', ''])
  const windows: Case = { spec: { os: { name: 'windows' }, containers: [{ name: 'w', securityContext: { runAsNonRoot: true } }] } }
  expect(evaluateReasons('v1.24', windows)).toBe('allowPrivilegeEscalation != false, unrestricted capabilities, seccompProfile')
  expect(evaluateReasons('v1.25', windows)).toBe('')
  const userNamespace: Case = { spec: { hostUsers: false }, context: { procMount: 'Unmasked', runAsUser: 0, runAsNonRoot: false } }
  expect([evaluateReasons('v1.34', userNamespace), evaluateReasons('v1.35', userNamespace)]).toEqual([
    'procMount, runAsNonRoot != true, runAsUser=0',
    'procMount',
  ])
  expect(formatViolationReasons(evaluate('baseline', 'v1.35', userNamespace))).toBe('')
  const annotated: Case = { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' } }
  expect(evaluateDetails('restricted', 'v1.18', annotated)).toBe(
    'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
  )
  expect(evaluateReasons('v1.19', annotated)).toBe('')
})

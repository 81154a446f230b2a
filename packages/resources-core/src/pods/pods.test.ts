import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import type { Container, KeyToPath, Pod, PodSpec, TopologySpreadConstraint } from '@keelson/api/core/v1'
import { decodeStruct, formatFieldError, parseJson } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { fourfold, measureProcessorTime } from '@keelson/apimachinery/testing'
import { describeResource } from '@keelson/registry/testing'
import { describe, expect, it } from 'vitest'
import { createPodRules } from '../pod-spec/pod-rules.ts'
import { findPodWarnings } from '../pod-spec/pod-warnings.ts'
import { setPodDefaults } from './defaults.ts'
import { pods } from './index.ts'
import { normalizePod } from './normalize-pod.ts'
import { podStatus } from './status-strategy.ts'
import { podStrategy } from './strategy.ts'

const types = createApiTypes([coreV1])
const schema = types.kind({ group: '', version: 'v1', kind: 'Pod' })!.schema

/** Returns the pod that a create request would store: with defaults, normalized and prepared. */
function createPod(spec: Partial<PodSpec>, overrides: Partial<Pod> = {}, warnings: string[] = []): Pod {
  const containers: Container[] = [{ name: 'c', image: 'i' }]
  const body = { metadata: { name: 'p', namespace: 'ns' }, ...overrides, spec: { containers, serviceAccountName: 'default', ...spec } }
  const { object } = decodeStruct<Pod>(schema, parseJson(JSON.stringify(body)), { strict: 'Strict' })
  setPodDefaults(object)
  normalizePod(object)
  podStrategy.prepareForCreate?.({ warn: (text: string) => void warnings.push(text) } as RequestContext, object)
  if (overrides.status !== undefined) object.status = structuredClone(overrides.status)
  return object
}

const context = {} as RequestContext
const validateToMessages = (object: Pod): string[] => (podStrategy.validateCreate?.(context, object) ?? []).map(formatFieldError)

function update(old: Pod, change: (object: Pod) => void): { readonly object: Pod; readonly errors: string[] } {
  const object = structuredClone(old)
  change(object)
  podStrategy.prepareForUpdate?.(context, object, old)
  return { object, errors: (podStrategy.validateUpdate?.(context, object, old) ?? []).map(formatFieldError) }
}

describeResource(pods, {
  types,
  valid: () => createPod({}),
  invalid: [{ title: 'no containers', object: () => createPod({ containers: [] }), field: 'spec.containers' }],
})

describe('pod defaults', () => {
  it('set requests to limits, and pod-level resources to the sum over containers', () => {
    const { containers, resources } = createPod({
      containers: [{ name: 'c', image: 'i', resources: { limits: { memory: '1Gi' }, requests: { cpu: '100m' } } }],
      resources: { limits: { cpu: '2', memory: '4Gi' } },
    }).spec!
    expect(containers![0]!.resources!.requests).toEqual({ cpu: '100m', memory: '1Gi' })
    expect(resources).toEqual({ limits: { cpu: '2', memory: '4Gi' }, requests: { cpu: '100m', memory: '1Gi' } })
  })

  it('do not rewrite quantities that are multiples of a thousandth', () => {
    const limits = { cpu: '01', memory: '0100Mi', 'example.com/a': '1500u' }
    const { containers } = createPod({ containers: [{ name: 'c', image: 'i', resources: { limits } }] }).spec!
    expect(containers![0]!.resources!.limits).toEqual({ cpu: '01', memory: '0100Mi', 'example.com/a': '2m' })
  })

  it('add sidecars to the pod-level requests', () => {
    const createResources = (cpu: string): NonNullable<Container['resources']> => ({ requests: { cpu } })
    const { spec } = createPod({
      containers: [{ name: 'c', image: 'i', resources: createResources('1') }],
      initContainers: [
        { name: 's', image: 'i', restartPolicy: 'Always', resources: createResources('1') },
        { name: 'i', image: 'i', resources: createResources('3') },
      ],
      resources: { limits: { cpu: '8' } },
    })
    expect(spec!.resources!.requests).toEqual({ cpu: '4' })
  })

  it('set host ports in the host network only to container ports that are set', () => {
    const ports = [{ containerPort: 80 }, { name: 'x' }] as NonNullable<Container['ports']>
    const { spec } = createPod({ hostNetwork: true, containers: [{ name: 'c', image: 'i', ports }] })
    const [first, second] = spec?.containers?.[0]?.ports ?? []
    expect(first).toMatchObject({ hostPort: 80 })
    expect(second).not.toHaveProperty('hostPort')
  })

  it('set the service account, grace period and pod IPs', () => {
    const object: Pod = {
      metadata: { annotations: { 'pod.beta.kubernetes.io/init-containers': '[]', kept: '' } },
      spec: { containers: [], serviceAccount: 'a', terminationGracePeriodSeconds: -5 },
      status: { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.2' }] },
    }
    expect(normalizePod(object)).toEqual({
      metadata: { annotations: { kept: '' } },
      spec: { containers: [], serviceAccount: 'a', serviceAccountName: 'a', terminationGracePeriodSeconds: 1 },
      status: { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] },
    })
  })
})

describe('pod create', () => {
  it('accepts a preferred affinity term without podAffinityTerm', () => {
    const affinity = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] } } as unknown as PodSpec['affinity']
    expect(validateToMessages(createPod({ affinity: affinity! })).join()).toContain('podAffinityTerm.topologyKey: Required value')
  })

  it('reports all errors', () => {
    const count = 130_000
    const countErrors = (spec: Partial<PodSpec>): number => podStrategy.validateCreate!(context, createPod(spec)).length
    expect(countErrors({ dnsConfig: { searches: Array.from({ length: count }, () => '-') } })).toBeGreaterThan(count)
    const items = Array.from({ length: count }, (): KeyToPath => ({ key: '', path: 'x' }))
    expect(countErrors({ volumes: [{ name: 'v', configMap: { name: 'c', items } }] })).toBe(count)
  })

  it('checks spread constraints for duplicates in linear time', () => {
    const createConstraint = (topologyKey: string): TopologySpreadConstraint => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'DoNotSchedule',
    })
    const spread = Array.from({ length: 20_000 }, (_, i) => createConstraint(`k${i}`))
    expect(validateToMessages(createPod({ topologySpreadConstraints: [...spread, createConstraint('k0')] }))).toEqual([
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{k0, DoNotSchedule}"',
    ])
  })

  it('adds the labels of matchLabelKeys to selectors', () => {
    const { spec } = createPod(
      {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {}, matchLabelKeys: ['h', 'absent'] },
        ],
      },
      { metadata: { name: 'p', namespace: 'ns', labels: { h: '1' } } },
    )
    expect(spec!.topologySpreadConstraints![0]!.labelSelector).toEqual({ matchExpressions: [{ key: 'h', operator: 'In', values: ['1'] }] })
  })

  it('copies AppArmor annotations to fields with a warning', () => {
    const warnings: string[] = []
    const key = 'container.apparmor.security.beta.kubernetes.io/c'
    const object = createPod({}, { metadata: { name: 'p', namespace: 'ns', annotations: { [key]: 'localhost/x' } } }, warnings)
    expect(object.spec!.containers![0]!.securityContext!.appArmorProfile).toEqual({ type: 'Localhost', localhostProfile: 'x' })
    expect(warnings).toEqual([`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`])
    expect(validateToMessages(object)).toEqual([])
  })

  it('keeps the QoS class sent by the client', () => {
    const sent = createPod({}, { status: { phase: 'Running', qosClass: 'Guaranteed' } })
    podStrategy.prepareForCreate?.(context, sent)
    expect(sent.status).toEqual({ phase: 'Pending', qosClass: 'Guaranteed' })
    expect(createPod({}).status).toMatchObject({ qosClass: 'BestEffort' })
  })

  it('sets the condition of gated pods with its time', () => {
    expect(createPod({ schedulingGates: [{ name: 'a.b/c' }] }).status?.conditions).toEqual([
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
        lastProbeTime: null,
        lastTransitionTime: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      },
    ])
  })

  it('drops fields of disabled features', () => {
    const { spec } = createPod({
      schedulingGroup: { podGroupName: 'g' },
      containers: [{ name: 'c', image: 'i', lifecycle: { stopSignal: 'SIGINT' } }],
    })
    expect(spec!.schedulingGroup).toBeUndefined()
    expect(spec!.containers![0]!.lifecycle).toBeUndefined()
  })

  it.each<[string, Partial<PodSpec>, string[]]>([
    [
      'two sources',
      { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }] },
      ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'a scheduling gate on a bound pod',
      { nodeName: 'n', schedulingGates: [{ name: 'a.b/c' }] },
      ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
    ],
    [
      'duplicate host ports',
      { containers: ['a', 'b'].map((name) => ({ name, image: 'i', ports: [{ containerPort: 1, hostPort: 2 }] })) },
      ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//2"'],
    ],
    [
      'probes of init containers',
      { initContainers: [{ name: 'i', image: 'i', livenessProbe: { exec: { command: ['x'] } } }] },
      ['spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always'],
    ],
    [
      'huge pages without CPU or memory',
      { containers: [{ name: 'c', image: 'i', resources: { limits: { 'hugepages-2Mi': '3Mi' } } }] },
      [
        'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'spec.containers[0].resources: Forbidden: HugePages require cpu or memory',
      ],
    ],
    ['users of its own on the host', { hostUsers: false, hostPID: true }, ['spec.HostPID: Forbidden: when `hostUsers` is false']],
    [
      'Linux fields on Windows',
      { os: { name: 'windows' }, securityContext: { runAsUser: 1 } },
      ['spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod'],
    ],
    ['no DNS at all', { dnsPolicy: 'None' }, ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None']],
    [
      'sysctls of the host',
      { hostNetwork: true, securityContext: { sysctls: [{ name: 'net/ipv4/x', value: '1' }] } },
      ['spec.securityContext.sysctls[0].name: Invalid value: "net/ipv4/x": may not be specified when \'hostNetwork\' is true'],
    ],
    [
      'a padded image',
      { containers: [{ name: 'c', image: ' i' }] },
      ['spec.containers[0].image: Invalid value: " i": must not have leading or trailing whitespace'],
    ],
    [
      'ephemeral containers',
      { ephemeralContainers: [{ name: 'e', image: 'i' }] },
      ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
    ],
    [
      'forbidden fields of ephemeral containers, even if empty',
      { ephemeralContainers: [{ name: 'e', image: 'i', ports: [], resources: { limits: {} } }] },
      [
        'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers: Forbidden: cannot be set on create',
      ],
    ],
    [
      'container requests above those of the pod',
      { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '3' } } }], resources: { requests: { cpu: '2' } } },
      ['spec.resources.requests[cpu]: Invalid value: "2": must be greater than or equal to aggregate container requests of 3'],
    ],
  ])('rejects %s', (_title, spec, messages) => {
    expect(validateToMessages(createPod(spec))).toEqual(messages)
  })
})

describe('pod update', () => {
  const gates = [{ name: 'a.b/c' }]

  it('allows new images and increments the generation', () => {
    const { object, errors } = update(createPod({}), ({ spec }) => void (spec!.containers![0]!.image = 'j'))
    expect(errors).toEqual([])
    expect(object.metadata.generation).toBe(2)
    expect(update(createPod({}), ({ metadata }) => void (metadata.labels = { a: '' })).object.metadata.generation).toBe(1)
  })

  it('distinguishes an empty list from a missing one in error messages', () => {
    const changed = createPod({ nodeSelector: {}, schedulingGates: [], containers: [{ name: 'c', image: 'i', env: [] }], hostname: 'h' })
    const [error] = podStrategy.validateUpdate!(context, changed, createPod({ nodeSelector: { a: 'b' } }))
    expect(error?.detail).toContain('+   "Env": [],')
    expect(error?.detail).toContain('+ "NodeSelector": {},')
    expect(error?.detail).not.toContain('SchedulingGates')
  })

  it('rejects changes of other fields, with a diff in the error message', () => {
    const { errors } = update(createPod({}), ({ spec }) => void (spec!.hostname = 'h'))
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(/^spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`,/)
    expect(errors[0]).toContain('- "Hostname": "",\n+ "Hostname": "h",')
  })

  it.each<[string, Partial<PodSpec>, (spec: PodSpec) => void, string[]]>([
    ['a shorter deadline', { activeDeadlineSeconds: 9 }, (spec) => void (spec.activeDeadlineSeconds = 8), []],
    [
      'rejects a longer deadline',
      { activeDeadlineSeconds: 9 },
      (spec) => void (spec.activeDeadlineSeconds = 10),
      ['spec.activeDeadlineSeconds: Invalid value: 10: must be less than or equal to previous value'],
    ],
    ['one more toleration', {}, (spec) => void (spec.tolerations = [{ operator: 'Exists' }]), []],
    [
      'rejects a removed toleration',
      { tolerations: [{ operator: 'Exists' }] },
      (spec) => void (spec.tolerations = []),
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    ['one gate less', { schedulingGates: gates }, (spec) => void (spec.schedulingGates = []), []],
    [
      'rejects an added scheduling gate',
      {},
      (spec) => void (spec.schedulingGates = gates),
      ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'a.b/c'"],
    ],
    ['a narrower gated pod', { schedulingGates: gates }, (spec) => void (spec.nodeSelector = { a: 'b' }), []],
    [
      'rejects looser constraints of a gated pod',
      { schedulingGates: gates, nodeSelector: { a: 'b' } },
      (spec) => void delete spec.nodeSelector,
      ['spec.nodeSelector: Invalid value: null: only additions to spec.nodeSelector are allowed (no mutations or deletions)'],
    ],
    [
      'rejects an added container',
      {},
      (spec) =>
        void (spec.containers = [
          ...spec.containers!,
          { name: 'd', image: 'i', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' },
        ]),
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
  ])('has the expected errors after a change: %s', (_title, spec, change, messages) => {
    expect(update(createPod(spec), (object) => change(object.spec!)).errors).toEqual(messages)
  })

  it('accepts stored values that older rules allowed', () => {
    const old = createPod({ securityContext: { seLinuxChangePolicy: 'MountOption' } })
    expect(validateToMessages(old)).toEqual([
      'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"',
    ])
    expect(update(old, ({ metadata }) => void (metadata.labels = { a: '' })).errors).toEqual([])
    expect(createPodRules('pod', old).allowMountOptionSELinuxChange).toBe(true)
  })
})

describe('pod status', () => {
  const terminated = { name: 'c', ready: false, restartCount: 0, image: '', imageID: '', state: { terminated: { exitCode: 1 } } }
  const running = { ...terminated, state: { running: {} } }
  const write = (old: Pod, status: Pod['status']): string[] => {
    const object = { ...structuredClone(old), status: structuredClone(status)! }
    podStatus.update.prepareForUpdate?.(context, object, old)
    return (podStatus.update.validateUpdate?.(context, object, old) ?? []).map(formatFieldError)
  }

  it.each([
    ['Always', []],
    ['Never', ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state']],
  ])('validates restarts of terminated containers under %s', (restartPolicy, messages) => {
    const old = createPod({ restartPolicy }, { status: { containerStatuses: [terminated] } })
    expect(write(old, { containerStatuses: [running] })).toEqual(messages)
  })

  it('allows one address per IP family', () => {
    const families = 'may specify no more than one IP for each IP family'
    expect(write(createPod({}), { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] })).toEqual([])
    expect(write(createPod({}), { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] })).toEqual([
      `status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: ${families}`,
    ])
    expect(write(createPod({}), { hostIP: '10.0.0.2', hostIPs: [{ ip: '10.0.0.1' }] })).toEqual([
      'status.hostIPs[0].ip: Invalid value: "10.0.0.1": must be equal to `hostIP`',
    ])
  })
})

describe('pod warnings', () => {
  it('reports names that are not valid hostnames', () => {
    const object = createPod({}, { metadata: { name: 'a.b', namespace: 'ns' } })
    expect(podStrategy.warningsOnCreate?.(context, object)).toEqual([
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ])
  })

  it('reports duplicate variables, ports and paths', () => {
    const port = { containerPort: 80, name: 'http' }
    const object = createPod({
      containers: [
        {
          name: 'c',
          image: 'i',
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '2' },
            { name: 'A', value: '$(A)3' },
          ],
          ports: [port],
        },
        { name: 'd', image: 'i', ports: [port] },
      ],
      volumes: [
        {
          name: 'v',
          configMap: {
            name: 'm',
            items: [
              { key: 'a', path: 'x' },
              { key: 'b', path: 'x/y' },
            ],
          },
        },
      ],
    })
    expect(findPodWarnings(object)).toEqual([
      'volume "v" (ConfigMap "m"): overlapping paths: "x/y" with "x"',
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
      'spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]',
      'spec.containers[1].ports[0]: duplicate port name "http" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ])
  })
})

describe('a pod with many ports and variables', () => {
  const count = 20_000
  const countWarnings = async (container: (count: number) => object): Promise<number> => {
    const [few, many] = [count / 4, count].map((count) => createPod({ containers: [{ name: 'a', image: 'i', ...container(count) }] }))
    const small = await measureProcessorTime(() => findPodWarnings(few!))
    expect(await measureProcessorTime(() => findPodWarnings(many!))).toBeLessThan(fourfold * small)
    return findPodWarnings(many!).length
  }

  it('is checked in linear time', async () => {
    const createPorts = (length: number): object[] => Array.from({ length }, (_, i) => ({ containerPort: i + 1, protocol: 'TCP' }))
    expect(await countWarnings((count) => ({ ports: createPorts(count) }))).toBe(0)
    expect(await countWarnings((length) => ({ env: Array.from({ length }, (_, i) => ({ name: `e${i}` })) }))).toBe(0)
  })

  it('causes a limited number of warnings', async () => {
    const warnings = await countWarnings((length) => ({ ports: Array.from({ length }, () => ({ containerPort: 1, protocol: 'TCP' })) }))
    expect(warnings).toBeGreaterThan(1000)
    expect(warnings).toBeLessThan(2 * count)
  })
})

it('compares tolerations in linear time in any order', async () => {
  const createTolerations = (count: number): Pod =>
    createPod({ tolerations: Array.from({ length: count }, (_, i) => ({ key: `k${i}`, operator: 'Exists' })) })
  const run = (count: number): Promise<number> => {
    const old = createTolerations(count)
    return measureProcessorTime(() => expect(update(old, ({ spec }) => void spec!.tolerations!.reverse()).errors).toEqual([]))
  }
  const small = await run(1_000)
  expect(await run(4_000)).toBeLessThan(fourfold * small)
})

import { createPod, image } from './published-policy.ts'
import type { ValidatingRule } from './published-policy.ts'

const standards = 'kubernetes.io/docs/concepts/security/pod-security-standards'
const kubescape = 'github.com/kubescape/cel-admission-library'
const gatekeeper = 'github.com/open-policy-agent/gatekeeper-library'
const kyverno = 'github.com/kyverno/policies'

/** Every container of a pod, as the standards require. */
const allContainers = [
  {
    name: 'containers',
    expression: 'object.spec.containers + object.spec.?initContainers.orValue([]) + object.spec.?ephemeralContainers.orValue([])',
  },
]

const createSecuredPod = (securityContext: object): object => createPod({ securityContext })
const withInit = (container: object): object => createPod({}, { initContainers: [{ name: 'init', image, ...container }] })
const createMountingPod = (path: string): object => createPod({}, { volumes: [{ name: 'v', hostPath: { path } }] })

/** Rules about pods. */
export const podRules: readonly ValidatingRule[] = [
  {
    name: 'privileged-containers',
    source: `${standards}#baseline, ${kubescape} C-0057`,
    resource: 'pods',
    variables: allContainers,
    validations: [
      {
        expression: 'variables.containers.all(c, c.?securityContext.?privileged != optional.of(true))',
        message: 'no privileged containers',
      },
    ],
    accepts: [createPod(), createSecuredPod({ privileged: false }), withInit({})],
    refuses: [
      [createSecuredPod({ privileged: true }), 'no privileged containers'],
      [withInit({ securityContext: { privileged: true } }), 'no privileged containers'],
    ],
  },
  {
    name: 'host-namespaces',
    source: `${standards}#baseline, ${kubescape} C-0038 and C-0041`,
    resource: 'pods',
    validations: ['hostNetwork', 'hostPID', 'hostIPC'].map((field) => ({
      expression: `!has(object.spec.${field}) || !object.spec.${field}`,
      message: `${field} is not allowed`,
    })),
    accepts: [createPod(), createPod({}, { hostPID: false })],
    refuses: ['hostNetwork', 'hostPID', 'hostIPC'].map((field) => [createPod({}, { [field]: true }), `${field} is not allowed`] as const),
  },
  {
    name: 'host-ports',
    source: `${standards}#baseline, ${kubescape} C-0044`,
    resource: 'pods',
    variables: allContainers,
    validations: [
      {
        expression: '!variables.containers.exists(c, c.?ports.orValue([]).exists(p, has(p.hostPort) && p.hostPort != 0))',
        messageExpression: `'host ports of ' + variables.containers.filter(c, c.?ports.orValue([]).exists(p, has(p.hostPort))).map(c, c.name).join(', ')`,
      },
    ],
    accepts: [createPod(), createPod({ ports: [{ containerPort: 80 }] })],
    refuses: [[createPod({ ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 81 }] }), 'host ports of main']],
  },
  {
    name: 'capabilities-baseline',
    source: `${standards}#baseline, ${kubescape} C-0046`,
    resource: 'pods',
    variables: [
      ...allContainers,
      { name: 'allowed', expression: "['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID']" },
    ],
    validations: [
      {
        expression: 'variables.containers.all(c, c.?securityContext.?capabilities.?add.orValue([]).all(name, name in variables.allowed))',
        message: 'capability not allowed',
      },
    ],
    accepts: [createPod(), createSecuredPod({ capabilities: { add: ['KILL', 'SETUID'] } })],
    refuses: [[createSecuredPod({ capabilities: { add: ['KILL', 'SYS_ADMIN'] } }), 'capability not allowed']],
  },
  {
    name: 'drop-all-capabilities',
    source: `${standards}#restricted, ${kyverno}/best-practices-cel/require-drop-all`,
    resource: 'pods',
    variables: allContainers,
    validations: [
      {
        expression: `variables.containers.all(c, c.?securityContext.?capabilities.?drop.orValue([]).exists(name, name.upperAscii() == 'ALL'))`,
        message: 'drop ALL capabilities',
      },
    ],
    accepts: [createSecuredPod({ capabilities: { drop: ['ALL'] } }), createSecuredPod({ capabilities: { drop: ['KILL', 'all'] } })],
    refuses: [
      [createPod(), 'drop ALL capabilities'],
      [createSecuredPod({ capabilities: { drop: ['KILL'] } }), 'drop ALL capabilities'],
    ],
  },
  {
    name: 'privilege-escalation',
    source: `${standards}#restricted, ${kubescape} C-0016`,
    resource: 'pods',
    variables: allContainers,
    validations: [
      {
        expression:
          'variables.containers.all(c, has(c.securityContext) && has(c.securityContext.allowPrivilegeEscalation) && !c.securityContext.allowPrivilegeEscalation)',
        message: 'set allowPrivilegeEscalation to false',
      },
    ],
    accepts: [createSecuredPod({ allowPrivilegeEscalation: false })],
    refuses: [
      [createPod(), 'set allowPrivilegeEscalation'],
      [createSecuredPod({ allowPrivilegeEscalation: true }), 'set allowPrivilegeEscalation'],
    ],
  },
  {
    name: 'run-as-non-root',
    source: `${standards}#restricted, ${kubescape} C-0013`,
    resource: 'pods',
    variables: [...allContainers, { name: 'byPod', expression: 'object.spec.?securityContext.?runAsNonRoot.orValue(false)' }],
    validations: [
      {
        expression: 'variables.containers.all(c, c.?securityContext.?runAsNonRoot.orValue(variables.byPod))',
        message: 'must not run as root',
      },
      {
        expression:
          'object.spec.?securityContext.?runAsUser.orValue(1) != 0 && variables.containers.all(c, c.?securityContext.?runAsUser.orValue(1) != 0)',
        message: 'user 0 is root',
      },
    ],
    accepts: [createSecuredPod({ runAsNonRoot: true }), createPod({}, { securityContext: { runAsNonRoot: true, runAsUser: 7 } })],
    refuses: [
      [createPod(), 'must not run as root'],
      [createPod({ securityContext: { runAsNonRoot: false } }, { securityContext: { runAsNonRoot: true } }), 'must not run as root'],
      [createSecuredPod({ runAsNonRoot: true, runAsUser: 0 }), 'user 0 is root'],
    ],
  },
  {
    name: 'seccomp-profiles',
    source: `${standards}#restricted, ${kyverno}/pod-security-cel/restricted/restrict-seccomp-strict`,
    resource: 'pods',
    variables: [...allContainers, { name: 'pod', expression: "object.spec.?securityContext.?seccompProfile.?type.orValue('')" }],
    validations: [
      {
        expression:
          "variables.containers.all(c, c.?securityContext.?seccompProfile.?type.orValue(variables.pod) in ['RuntimeDefault', 'Localhost'])",
        message: 'a seccomp profile is required',
      },
    ],
    accepts: [
      createPod({}, { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }),
      createSecuredPod({ seccompProfile: { type: 'Localhost', localhostProfile: 'p' } }),
    ],
    refuses: [
      [createPod(), 'a seccomp profile is required'],
      [createSecuredPod({ seccompProfile: { type: 'Unconfined' } }), 'a seccomp profile is required'],
    ],
  },
  {
    name: 'volume-types',
    source: `${standards}#restricted, ${kyverno}/pod-security-cel/restricted/restrict-volume-types`,
    resource: 'pods',
    validations: [
      {
        expression: `object.spec.?volumes.orValue([]).all(v, ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret'].exists(type, type in v))`,
        messageExpression: `'types of volumes: ' + object.spec.volumes.map(v, v.name).join(' ')`,
      },
    ],
    accepts: [createPod(), createPod({}, { volumes: [{ name: 'v', emptyDir: {} }] })],
    refuses: [
      [
        createPod(
          {},
          {
            volumes: [
              { name: 'v', emptyDir: {} },
              { name: 'w', hostPath: { path: '/x' } },
            ],
          },
        ),
        'types of volumes: v w',
      ],
    ],
  },
  {
    name: 'sysctls',
    source: `${standards}#baseline, ${kyverno}/pod-security-cel/baseline/restrict-sysctls`,
    resource: 'pods',
    validations: [
      {
        expression: `object.spec.?securityContext.?sysctls.orValue([]).all(s, s.name in ['kernel.shm_rmid_forced', 'net.ipv4.tcp_syncookies', 'net.ipv4.ping_group_range'])`,
        message: 'sysctl not allowed',
      },
    ],
    accepts: [createPod(), createPod({}, { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] } })],
    refuses: [[createPod({}, { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }), 'sysctl not allowed']],
  },
  {
    name: 'read-only-root',
    source: `${kubescape} C-0017, ${kyverno}/best-practices-cel/require-ro-rootfs`,
    resource: 'pods',
    variables: allContainers,
    validations: [
      {
        expression: 'variables.containers.all(c, c.?securityContext.?readOnlyRootFilesystem.orValue(false))',
        message: 'root must be read-only',
      },
    ],
    accepts: [createSecuredPod({ readOnlyRootFilesystem: true })],
    refuses: [[createPod(), 'root must be read-only']],
  },
  {
    name: 'resource-limits',
    source: `${kubescape} C-0009, ${gatekeeper}/containerlimits`,
    resource: 'pods',
    param: { cpu: '2', memory: '1Gi' },
    validations: [
      {
        expression: "object.spec.containers.all(c, ['cpu', 'memory'].all(r, c.?resources.?limits[?r].hasValue()))",
        message: 'limits of cpu and memory are required',
      },
      {
        expression:
          "object.spec.containers.all(c, ['cpu', 'memory'].all(r, !quantity(string(c.resources.limits[r])).isGreaterThan(quantity(params.data[r]))))",
        messageExpression: "'at most ' + params.data.cpu + ' and ' + params.data.memory",
      },
    ],
    accepts: [createPod({ resources: { limits: { cpu: '500m', memory: '1024Mi' } } })],
    refuses: [
      [createPod({ resources: { limits: { cpu: '1' } } }), 'limits of cpu and memory are required'],
      [createPod({ resources: { limits: { cpu: '1', memory: '1025Mi' } } }), 'at most 2 and 1Gi'],
      [createPod({ resources: { limits: { cpu: '2001m', memory: '1Mi' } } }), 'at most 2 and 1Gi'],
    ],
  },
  {
    name: 'image-registries',
    source: `${gatekeeper}/allowedrepos, ${kubescape} C-0078`,
    resource: 'pods',
    param: { registries: 'registry.example.com/, mirror.example.com/' },
    variables: [...allContainers, { name: 'registries', expression: "params.data.registries.split(',').map(r, r.trim())" }],
    validations: [
      {
        expression: 'variables.containers.all(c, variables.registries.exists(r, c.image.startsWith(r)))',
        messageExpression: `'images must come from ' + variables.registries.join(' or ')`,
      },
    ],
    accepts: [createPod(), createPod({ image: 'mirror.example.com/x' })],
    refuses: [
      [createPod({ image: 'docker.io/x' }), 'images must come from registry.example.com/ or mirror.example.com/'],
      [withInit({ image: 'registry.example.com.evil/x' }), 'images must come from'],
    ],
  },
  {
    name: 'image-tags',
    source: `${gatekeeper}/disallowedtags, ${kyverno}/best-practices-cel/disallow-latest-tag, ${kubescape} C-0075`,
    resource: 'pods',
    variables: allContainers,
    validations: [
      { expression: "variables.containers.all(c, c.image.matches('(:[^/]+|@sha256:[0-9a-f]{64})$'))", message: 'a tag is required' },
      { expression: "variables.containers.all(c, !c.image.endsWith(':latest'))", message: 'the tag latest changes' },
    ],
    accepts: [createPod(), createPod({ image: `x@sha256:${'0'.repeat(64)}` })],
    refuses: [
      [createPod({ image: 'x' }), 'a tag is required'],
      [createPod({ image: 'localhost:5000/x' }), 'a tag is required'],
      [createPod({ image: 'x:latest' }), 'the tag latest changes'],
    ],
  },
  {
    name: 'probes',
    source: `${gatekeeper}/requiredprobes, ${kubescape} C-0018 and C-0056`,
    resource: 'pods',
    validations: [
      {
        expression: `['livenessProbe', 'readinessProbe'].all(probe, object.spec.containers.all(c, probe in c))`,
        messageExpression: `'no probes: ' + object.spec.containers.filter(c, !has(c.livenessProbe) || !has(c.readinessProbe)).map(c, c.name).join(',')`,
      },
    ],
    accepts: [createPod({ livenessProbe: { tcpSocket: { port: 1 } }, readinessProbe: { tcpSocket: { port: 1 } } })],
    refuses: [[createPod({ livenessProbe: { tcpSocket: { port: 1 } } }), 'no probes: main']],
  },
  {
    name: 'runtime-sockets',
    source: `${kubescape} C-0074, ${kyverno}/best-practices-cel/disallow-cri-sock-mount`,
    resource: 'pods',
    validations: [
      {
        expression: `object.spec.?volumes.orValue([]).all(v, !(v.?hostPath.?path.orValue('') in ['/var/run/docker.sock', '/run/containerd/containerd.sock', '/var/run/crio/crio.sock']))`,
        message: 'the socket of the runtime is not allowed',
      },
    ],
    accepts: [createPod(), createMountingPod('/var/log')],
    refuses: [[createMountingPod('/var/run/docker.sock'), 'the socket of the runtime is not allowed']],
  },
  {
    name: 'service-account-token',
    source: `${gatekeeper}/automount-serviceaccount-token, ${kubescape} C-0034`,
    resource: 'pods',
    validations: [
      {
        expression: 'has(object.spec.automountServiceAccountToken) && !object.spec.automountServiceAccountToken',
        message: 'do not mount the token',
        reason: 'Forbidden',
      },
    ],
    accepts: [createPod({}, { automountServiceAccountToken: false })],
    refuses: [
      [createPod(), 'do not mount the token'],
      [createPod({}, { automountServiceAccountToken: true }), 'do not mount the token'],
    ],
  },
  {
    name: 'naked-pods',
    source: `${kubescape} C-0073`,
    resource: 'pods',
    validations: [
      {
        expression: 'has(object.metadata.ownerReferences) && size(object.metadata.ownerReferences) > 0',
        message: 'a controller must own the pod',
      },
    ],
    accepts: [createPod({}, {}, { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u' }] })],
    refuses: [[createPod(), 'a controller must own the pod']],
  },
  {
    name: 'sudo-in-commands',
    source: `${kubescape} C-0062`,
    resource: 'pods',
    variables: allContainers,
    validations: [
      {
        expression: `variables.containers.all(c, (c.?command.orValue([]) + c.?args.orValue([])).all(word, !word.matches('(^|[ /])sudo( |$)')))`,
        message: 'no sudo',
      },
    ],
    accepts: [createPod(), createPod({ command: ['sh', '-c', 'pseudo sudoku'] })],
    refuses: [
      [createPod({ command: ['sudo', 'id'] }), 'no sudo'],
      [createPod({ args: ['-c', '/usr/bin/sudo id'] }), 'no sudo'],
    ],
  },
  {
    name: 'namespace-environment',
    source: 'kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#variable-composition',
    resource: 'pods',
    labels: { environment: 'test' },
    variables: [
      {
        name: 'environment',
        expression: "'environment' in namespaceObject.metadata.labels ? namespaceObject.metadata.labels['environment'] : 'prod'",
      },
      { name: 'exempt', expression: "object.metadata.?labels['exempt'].orValue('') == 'true'" },
      { name: 'wrong', expression: "object.spec.containers.filter(c, !c.image.startsWith(variables.environment + '.'))" },
    ],
    validations: [
      {
        expression: 'variables.exempt || variables.wrong.size() == 0',
        messageExpression: `'only ' + variables.environment + ' images: ' + variables.wrong.map(c, c.image).join(', ')`,
      },
    ],
    accepts: [createPod({ image: 'test.example.com/x' }), createPod({}, {}, { labels: { exempt: 'true' } })],
    refuses: [[createPod(), `only test images: ${image}`]],
  },
]

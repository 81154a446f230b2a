import { createDeployment } from './published-policy.ts'
import type { ValidatingRule } from './published-policy.ts'

const documentation = 'kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy'
const gatekeeper = 'github.com/open-policy-agent/gatekeeper-library'
const kyverno = 'github.com/kyverno/policies'

const createService = (spec: object): object => ({ metadata: {}, spec: { ports: [{ port: 80 }], ...spec } })
const backend = { service: { name: 's', port: { number: 80 } } }
const createIngress = (host: string | undefined, spec: object = {}, annotations: object = {}): object => ({
  metadata: { annotations },
  spec: { rules: [{ ...(host !== undefined && { host }), http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }], ...spec },
})
const createBudget = (spec: object): object => ({ metadata: {}, spec: { selector: { matchLabels: { app: 'a' } }, ...spec } })
const bind = (role: string, subjects: readonly object[]): object => ({
  metadata: {},
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects,
})

/** Rules about resources other than pods. */
export const otherRules: readonly ValidatingRule[] = [
  {
    name: 'replica-limit',
    source: `${documentation}/#getting-started-with-validating-admission-policy`,
    resource: 'deployments',
    validations: [{ expression: 'object.spec.replicas <= 5' }],
    accepts: [createDeployment(), createDeployment({ replicas: 5 })],
    refuses: [[createDeployment({ replicas: 6 }), 'failed expression: object.spec.replicas <= 5']],
  },
  {
    name: 'replica-limit-parameter',
    source: `${documentation}/#parameter-resources, ${gatekeeper}/replicalimits`,
    resource: 'deployments',
    param: { min: '2', max: '4' },
    validations: [
      {
        expression: 'object.spec.replicas >= int(params.data.min) && object.spec.replicas <= int(params.data.max)',
        messageExpression: `string(object.spec.replicas) + ' replicas are not between ' + params.data.min + ' and ' + params.data.max`,
        reason: 'Invalid',
      },
    ],
    accepts: [createDeployment({ replicas: 2 }), createDeployment({ replicas: 4 })],
    refuses: [
      [createDeployment(), '1 replicas are not between 2 and 4'],
      [createDeployment({ replicas: 5 }), '5 replicas are not between 2 and 4'],
    ],
  },
  {
    name: 'match-conditions',
    source: `${documentation}/#matching-requests-matchconditions`,
    resource: 'deployments',
    matchConditions: [
      { name: 'not-by-nodes', expression: "!('system:nodes' in request.userInfo.groups)" },
      { name: 'not-excluded', expression: "!has(object.metadata.labels) || !('excluded' in object.metadata.labels)" },
    ],
    validations: [{ expression: "object.spec.template.metadata.labels.?team.orValue('') != ''", message: 'pods need the label team' }],
    accepts: [createDeployment({}, {}, { labels: { excluded: '' } })],
    refuses: [[createDeployment(), 'pods need the label team']],
  },
  {
    name: 'permission-by-authorizer',
    source: `${documentation}/#validation-expression`,
    resource: 'deployments',
    validations: [
      {
        expression:
          "object.spec.?paused.orValue(false) == false || authorizer.group('apps').resource('deployments').namespace(request.namespace).check('pause').allowed()",
        message: 'may not pause',
        reason: 'Forbidden',
      },
      {
        expression:
          "object.spec.replicas < 9 || authorizer.serviceAccount('default', 'nobody').group('apps').resource('deployments').check('scale').allowed()",
        message: 'too many',
      },
    ],
    accepts: [createDeployment({ paused: true })],
    refuses: [[createDeployment({ replicas: 9 }), 'too many']],
  },
  {
    name: 'rolling-update',
    source: `${kyverno}/other-cel/require-deployments-have-multiple-replicas`,
    resource: 'deployments',
    validations: [
      { expression: 'object.spec.replicas > 1', message: 'more than one replica is required' },
      { expression: "object.spec.strategy.type == 'RollingUpdate'", message: 'updates must be rolling' },
    ],
    accepts: [createDeployment({ replicas: 2 })],
    refuses: [
      [createDeployment(), 'more than one replica is required'],
      [createDeployment({ replicas: 2, strategy: { type: 'Recreate' } }), 'updates must be rolling'],
    ],
  },
  {
    name: 'common-labels',
    source: 'kubernetes.io/docs/concepts/overview/working-with-objects/common-labels, github.com/kubescape/cel-admission-library C-0077',
    resource: 'deployments',
    variables: [{ name: 'labels', expression: 'object.metadata.?labels.orValue({})' }],
    validations: [
      {
        expression: "['name', 'version', 'component'].all(l, ('app.kubernetes.io/' + l) in variables.labels)",
        messageExpression: `'labels missing: ' + ['name', 'version', 'component'].filter(l, !(('app.kubernetes.io/' + l) in variables.labels)).join(' ')`,
      },
    ],
    accepts: [
      createDeployment(
        {},
        {},
        { labels: { 'app.kubernetes.io/name': 'a', 'app.kubernetes.io/version': '1', 'app.kubernetes.io/component': 'b' } },
      ),
    ],
    refuses: [[createDeployment({}, {}, { labels: { 'app.kubernetes.io/name': 'a' } }), 'labels missing: version component']],
  },
  {
    name: 'label-values',
    source: `${gatekeeper}/requiredlabels`,
    resource: 'configmaps',
    param: { owner: '^[a-z]+@example[.]com$' },
    validations: [
      {
        expression: "params.data.all(key, expression, object.metadata.?annotations[?key].orValue('').matches(expression))",
        message: 'annotation is missing or wrong',
      },
    ],
    accepts: [{ metadata: { annotations: { owner: 'me@example.com' } } }],
    refuses: [
      [{ metadata: {} }, 'annotation is missing or wrong'],
      [{ metadata: { annotations: { owner: 'me@example-com' } } }, 'annotation is missing or wrong'],
    ],
  },
  {
    name: 'node-ports',
    source: `${gatekeeper}/block-nodeport-services, ${kyverno}/best-practices-cel/restrict-node-port`,
    resource: 'services',
    validations: [{ expression: "object.spec.type != 'NodePort'", message: 'no node ports' }],
    accepts: [createService({}), createService({ clusterIP: 'None' })],
    refuses: [[createService({ type: 'NodePort' }), 'no node ports']],
  },
  {
    name: 'load-balancers',
    source: `${gatekeeper}/block-loadbalancer-services, kubernetes.io/docs/concepts/services-networking/service/#internal-load-balancer`,
    resource: 'services',
    validations: [
      {
        expression:
          "object.spec.type != 'LoadBalancer' || object.metadata.?annotations['service.beta.kubernetes.io/aws-load-balancer-internal'].orValue('') == 'true'",
        message: 'only internal load balancers',
      },
    ],
    accepts: [
      createService({}),
      {
        ...createService({ type: 'LoadBalancer' }),
        metadata: { annotations: { 'service.beta.kubernetes.io/aws-load-balancer-internal': 'true' } },
      },
    ],
    refuses: [[createService({ type: 'LoadBalancer' }), 'only internal load balancers']],
  },
  {
    name: 'external-ips',
    source: `${gatekeeper}/externalip, CVE-2020-8554`,
    resource: 'services',
    param: { network: '203.0.113.0/24' },
    validations: [
      {
        expression: 'object.spec.?externalIPs.orValue([]).all(address, isIP(address) && cidr(params.data.network).containsIP(address))',
        messageExpression: `'external addresses must be in ' + params.data.network`,
      },
    ],
    accepts: [createService({}), createService({ externalIPs: ['203.0.113.9'] })],
    refuses: [[createService({ externalIPs: ['203.0.113.9', '198.51.100.1'] }), 'external addresses must be in 203.0.113.0/24']],
  },
  {
    name: 'ingress-hosts',
    source: `${gatekeeper}/block-wildcard-ingress, ${kyverno}/best-practices-cel/disallow-empty-ingress-host`,
    resource: 'ingresses',
    validations: [
      { expression: "object.spec.rules.all(r, r.?host.orValue('') != '')", message: 'a host is required' },
      { expression: "object.spec.rules.all(r, !r.?host.orValue('').startsWith('*'))", message: 'no wildcards' },
    ],
    accepts: [createIngress('a.example.com')],
    refuses: [
      [createIngress(undefined), 'a host is required'],
      [createIngress('*.example.com'), 'no wildcards'],
    ],
  },
  {
    name: 'ingress-tls',
    source: `${gatekeeper}/httpsonly`,
    resource: 'ingresses',
    validations: [
      {
        expression: "has(object.spec.tls) && object.metadata.?annotations['kubernetes.io/ingress.allow-http'].orValue('') == 'false'",
        message: 'only HTTPS',
      },
      {
        expression: 'sets.contains(object.spec.?tls.orValue([]).map(t, t.?hosts.orValue([])).flatten(), object.spec.rules.map(r, r.host))',
        message: 'a host has no certificate',
      },
    ],
    accepts: [
      createIngress(
        'a.example.com',
        { tls: [{ hosts: ['b.example.com', 'a.example.com'], secretName: 's' }] },
        { 'kubernetes.io/ingress.allow-http': 'false' },
      ),
    ],
    refuses: [
      [createIngress('a.example.com'), 'only HTTPS'],
      [
        createIngress(
          'a.example.com',
          { tls: [{ hosts: ['b.example.com'], secretName: 's' }] },
          { 'kubernetes.io/ingress.allow-http': 'false' },
        ),
        'a host has no certificate',
      ],
    ],
  },
  {
    name: 'disruption-budgets',
    source: `${gatekeeper}/poddisruptionbudget, ${kyverno}/other-cel/pdb-maxunavailable`,
    resource: 'poddisruptionbudgets',
    validations: [
      {
        expression: "!has(object.spec.maxUnavailable) || !(object.spec.maxUnavailable in [dyn(0), dyn('0%')])",
        message: 'disruptions must be possible',
      },
      { expression: "!has(object.spec.minAvailable) || object.spec.minAvailable != '100%'", message: 'disruptions must be possible' },
    ],
    accepts: [createBudget({ maxUnavailable: 1 }), createBudget({ maxUnavailable: '10%' }), createBudget({ minAvailable: 3 })],
    refuses: [
      [createBudget({ maxUnavailable: 0 }), 'disruptions must be possible'],
      [createBudget({ maxUnavailable: '0%' }), 'disruptions must be possible'],
      [createBudget({ minAvailable: '100%' }), 'disruptions must be possible'],
    ],
  },
  {
    name: 'anonymous-bindings',
    source: `${gatekeeper}/disallowanonymous`,
    resource: 'rolebindings',
    validations: [
      {
        expression:
          "object.?subjects.orValue([]).all(s, !(s.name in ['system:anonymous', 'system:unauthenticated', 'system:authenticated']))",
        message: 'no binding for everybody',
      },
      { expression: "object.roleRef.name != 'cluster-admin'", message: 'nobody becomes cluster-admin' },
    ],
    accepts: [bind('view', [{ kind: 'User', name: 'a' }])],
    refuses: [
      [bind('view', [{ kind: 'Group', name: 'system:unauthenticated' }]), 'no binding for everybody'],
      [bind('cluster-admin', [{ kind: 'User', name: 'a' }]), 'nobody becomes cluster-admin'],
    ],
  },
  {
    name: 'storage-classes',
    source: `${gatekeeper}/storageclass, ${kyverno}/other-cel/restrict-storageclass`,
    resource: 'persistentvolumeclaims',
    param: { classes: 'fast, slow', max: '10Gi' },
    validations: [
      {
        expression: "object.spec.?storageClassName.orValue('') in params.data.classes.split(',').map(c, c.trim())",
        message: 'unknown storage class',
      },
      {
        expression: 'quantity(object.spec.resources.requests.storage).compareTo(quantity(params.data.max)) <= 0',
        messageExpression: `'more than ' + params.data.max`,
      },
    ],
    accepts: [
      { metadata: {}, spec: { storageClassName: 'slow', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } } },
    ],
    refuses: [
      [
        { metadata: {}, spec: { storageClassName: 'x', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
        'unknown storage class',
      ],
      [
        { metadata: {}, spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '11Gi' } } } },
        'more than 10Gi',
      ],
    ],
  },
]

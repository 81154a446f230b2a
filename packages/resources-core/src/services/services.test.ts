import type { Service, ServiceSpec, ServiceStatus } from '@keelson/api/core/v1'
import { formatFieldError } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { services, setServiceDefaults } from './index.ts'
import { validateServiceStatus } from './validate-load-balancer.ts'
import { validateServiceUpdate } from './validate-update.ts'
import { validateService } from './validate.ts'
import { findServiceWarnings } from './warnings.ts'

function createService(spec: ServiceSpec = {}, annotations?: Record<string, string>): Service {
  const object: Service = { metadata: { name: 's', ...(annotations && { annotations }) }, spec: { ports: [{ port: 80 }], ...spec } }
  setServiceDefaults(object)
  return object
}
const validateToMessages = (spec: ServiceSpec, annotations?: Record<string, string>): string[] =>
  validateService(createService(spec, annotations)).map(formatFieldError)

describe('services', () => {
  it('sets defaults that depend on the service type', () => {
    expect(createService().spec).toEqual({
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
      internalTrafficPolicy: 'Cluster',
    })
    expect(createService({ type: 'LoadBalancer', sessionAffinity: 'ClientIP' }).spec).toMatchObject({
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
      externalTrafficPolicy: 'Cluster',
      allocateLoadBalancerNodePorts: true,
    })
    expect(createService({ type: 'ExternalName', externalName: 'a.b' }).spec).not.toHaveProperty('internalTrafficPolicy')
  })

  it.each<[ServiceSpec, string[]]>([
    [{}, []],
    [{ ports: [] }, ['spec.ports: Required value']],
    [{ type: 'ExternalName' }, ['spec.externalName: Required value']],
    [{ type: 'ExternalName', externalName: 'a.b.', ports: [] }, []],
    [
      { type: 'ExternalName', externalName: 'a.b', clusterIP: 'None', clusterIPs: ['None'] },
      ['spec.clusterIPs: Forbidden: may not be set for ExternalName services'],
    ],
    [
      { type: 'NodePort', clusterIP: 'None', clusterIPs: ['None'] },
      ['spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services'],
    ],
    [
      { ports: [{ port: 80 }, { name: 'a', port: 80 }] },
      [
        'spec.ports[0].name: Required value',
        'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
      ],
    ],
    [
      { ports: [{ port: 0, targetPort: '-', protocol: 'ICMP', appProtocol: 'a b' }] },
      [
        'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
        expect.stringContaining('spec.ports[0].targetPort: Invalid value: "-"'),
        expect.stringContaining('spec.ports[0].targetPort: Invalid value: "-"'),
        expect.stringContaining('spec.ports[0].appProtocol: Invalid value: "a b"'),
      ],
    ],
    [{ ports: [{ port: 80, nodePort: 30_000 }] }, ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"]],
    [
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } } },
      ['spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400'],
    ],
    [
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2', '10.0.0.3', 'x'] },
      [
        'spec.clusterIPs: Invalid value: ["10.0.0.2","10.0.0.3","x"]: first value must match `clusterIP`',
        'spec.clusterIPs[2]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'spec.clusterIPs: Invalid value: ["10.0.0.2","10.0.0.3","x"]: may only hold up to 2 values',
      ],
    ],
    [
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv6', 'IPv6', 'IPv5'], ipFamilyPolicy: 'Any' },
      [
        'spec.ipFamilies[1]: Duplicate value: "IPv6"',
        'spec.ipFamilies[2]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
        'spec.ipFamilyPolicy: Unsupported value: "Any": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
        'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
      ],
    ],
    [
      { externalIPs: ['127.0.0.1', '0.0.0.0', '169.254.1.1', '224.0.0.1', 'fe80::1', '1.2.3.4', '01.2.3.4'] },
      [
        'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'spec.externalIPs[1]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
        'spec.externalIPs[2]: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
        'spec.externalIPs[3]: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
        'spec.externalIPs[4]: Invalid value: "fe80::1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
        'spec.externalIPs[6]: Invalid value: "01.2.3.4": must not have leading 0s',
      ],
    ],
    [
      { loadBalancerSourceRanges: [' 10.0.0.0/8 ', '10.0.0.1/8', '10.0.0.0/08', '::ffff:1.2.3.0/120', 'x'] },
      [
        "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
        'spec.LoadBalancerSourceRanges[1]: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
        'spec.LoadBalancerSourceRanges[2]: Invalid value: "10.0.0.0/08": must not have leading 0s in IP or prefix length',
        'spec.LoadBalancerSourceRanges[3]: Invalid value: "::ffff:1.2.3.0/120": must not have an IPv4-mapped IPv6 address',
        'spec.LoadBalancerSourceRanges[4]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      ],
    ],
    [
      { loadBalancerClass: 'a', allocateLoadBalancerNodePorts: true, externalTrafficPolicy: 'Local', healthCheckNodePort: 30_000 },
      [
        "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
        "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
        'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
        "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ],
    ],
    [
      { internalTrafficPolicy: 'Far', trafficDistribution: 'PreferFar' },
      [
        'spec.internalTrafficPolicy: Unsupported value: "Far": supported values: "Cluster", "Local"',
        'spec.trafficDistribution: Unsupported value: "PreferFar": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
      ],
    ],
  ])('reports the errors of the spec %j', (spec, messages) => {
    expect(validateToMessages(spec)).toEqual(messages)
  })

  it('validates annotations', () => {
    expect(
      validateToMessages({}, { 'service.kubernetes.io/topology-aware-hints': 'a', 'service.kubernetes.io/topology-mode': 'b' }),
    ).toEqual([
      'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "b": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
    ])
    const ranges = { 'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.0/8, x' }
    expect(validateToMessages({ type: 'LoadBalancer' }, ranges)).toHaveLength(1)
    expect(validateToMessages({}, ranges)).toHaveLength(2)
  })

  it('rejects changes of immutable fields', () => {
    const update = (before: ServiceSpec, after: ServiceSpec): string[] =>
      validateServiceUpdate(createService(after), createService(before)).map(formatFieldError)
    const createClusterIPSpec = (address: string): ServiceSpec => ({ clusterIP: address, clusterIPs: [address] })
    expect(update(createClusterIPSpec('10.0.0.1'), createClusterIPSpec('10.0.0.2'))).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
    ])
    expect(update(createClusterIPSpec('10.0.0.1'), {})).toEqual([
      'spec.clusterIPs[0]: Invalid value: null: primary clusterIP can not be unset',
    ])
    expect(update(createClusterIPSpec('None'), createClusterIPSpec('10.0.0.2'))).toHaveLength(1)
    expect(update({ ipFamilies: ['IPv4'] }, { ipFamilies: ['IPv6'] })).toEqual([
      'spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set',
    ])
    expect(update({ externalIPs: ['01.2.3.4'] }, { externalIPs: ['01.2.3.4'] })).toEqual([])
    const balanced: ServiceSpec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_000 }
    expect(update({ ...balanced, loadBalancerClass: 'a.b/c' }, { ...balanced, healthCheckNodePort: 30_001 })).toEqual([
      'spec.loadBalancerClass: Invalid value: null: may not change once set',
      'spec.healthCheckNodePort: Forbidden: field is immutable',
    ])
  })

  it('validates the load balancer status', () => {
    const validateStatusToMessages = (type: string, ingress: NonNullable<ServiceStatus['loadBalancer']>['ingress']): string[] => {
      const object: Service = { ...createService({ type }), status: { loadBalancer: { ingress: ingress! } } }
      return validateServiceStatus(object, createService({ type })).map(formatFieldError)
    }
    expect(validateStatusToMessages('ClusterIP', [{ ip: '1.2.3.4' }])).toEqual([
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ])
    expect(validateStatusToMessages('LoadBalancer', [{ ip: '1.2.3.4', ipMode: 'VIP' }, { hostname: 'a.b' }])).toEqual([])
    expect(
      validateStatusToMessages('LoadBalancer', [{ ip: '1.2.3.4' }, { hostname: '1.2.3.4', ipMode: 'VIP' }, { ip: 'x', ipMode: 'No' }]),
    ).toEqual([
      'status.loadBalancer.ingress[0].ipMode: Required value: must be specified when `ip` is set',
      'status.loadBalancer.ingress[1].ipMode: Forbidden: may not be specified when `ip` is not set',
      'status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
      'status.loadBalancer.ingress[2].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'status.loadBalancer.ingress[2].ipMode: Unsupported value: "No": supported values: "Proxy", "VIP"',
    ])
  })

  it('warns about fields that have no effect', () => {
    expect(
      findServiceWarnings(
        createService({ clusterIP: 'None', clusterIPs: ['None'], sessionAffinity: 'ClientIP', loadBalancerIP: '1.2.3.4' }),
      ),
    ).toEqual(['spec.loadBalancerIP is ignored for headless services', 'spec.SessionAffinity is ignored for headless services'])
    expect(
      findServiceWarnings(createService({ externalIPs: ['2001:DB8::1'], externalName: 'x', trafficDistribution: 'PreferClose' })),
    ).toEqual([
      'spec.externalIPs[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ])
    expect(
      findServiceWarnings(createService({ type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.1/08', '2001:DB8::/32'] })),
    ).toEqual([
      'spec.loadBalancerSourceRanges[0]: CIDR value "10.0.0.1/08" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
      'spec.loadBalancerSourceRanges[0]: non-standard CIDR value "10.0.0.1/08" is invalid: use "10.0.0.0/8"',
      'spec.loadBalancerSourceRanges[1]: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
    ])
  })

  it.each<[ServiceSpec, ServiceStatus, string[]]>([
    [{ clusterIPs: ['10.0.0.1'], selector: { b: '2', a: '1' } }, {}, ['ClusterIP', '10.0.0.1', '<none>', '80/TCP', 'a=1,b=2']],
    [
      { type: 'NodePort', ports: [{ port: 80, nodePort: 30_000 }], externalIPs: ['1.1.1.1'] },
      {},
      ['NodePort', '<none>', '1.1.1.1', '80:30000/TCP', '<none>'],
    ],
    [{ type: 'LoadBalancer' }, {}, ['LoadBalancer', '<none>', '<pending>', '80/TCP', '<none>']],
    [
      { type: 'LoadBalancer', externalIPs: ['9.9.9.9'] },
      { loadBalancer: { ingress: [{ hostname: 'z' }, { ip: '1.1.1.1' }] } },
      ['LoadBalancer', '<none>', '1.1.1.1,z,9.9.9.9', '80/TCP', '<none>'],
    ],
    [{ type: 'ExternalName', externalName: 'x.y', ports: [] }, {}, ['ExternalName', '<none>', 'x.y', '<none>', '<none>']],
  ])('prints columns, case %#', (spec, status, cells) => {
    const [, type, ip, external, ports, , selector] = createTableConvertor(services).createCells(
      { ...createService(spec), status } as Service,
      0,
    )
    expect([type, ip, external, ports, selector]).toEqual(cells)
  })
})

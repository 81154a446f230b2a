import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '@keelson/api/networking/v1'
import { fieldError, newFieldPath, isValidPortName, isValidPortNum, validateLabelSelector } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { containsCidr, createInvalidErrors, parseCidr, validateLegacyCidr } from '@keelson/resources-core'
import { collectCidrs, collectRules } from './peers.ts'

type ReadonlyPolicy = DeepReadonly<NetworkPolicy>

const policyTypes = ['Ingress', 'Egress']
const protocols = ['TCP', 'UDP', 'SCTP']
const specPath = newFieldPath('spec')

interface RatchetingRules {
  readonly allowInvalidLabelValue: boolean
  /** CIDRs that `old` already had. They are valid in any format. */
  readonly knownCidrs: ReadonlySet<string>
}

export function validateNetworkPolicy(policy: ReadonlyPolicy): FieldErrorList {
  return validateSpec(policy, { allowInvalidLabelValue: false, knownCidrs: new Set() })
}

export function validateNetworkPolicyUpdate(policy: ReadonlyPolicy, old: ReadonlyPolicy): FieldErrorList {
  const allowInvalidLabelValue = validateLabelSelector(old.spec?.podSelector, newFieldPath()).length > 0
  return validateSpec(policy, { allowInvalidLabelValue, knownCidrs: new Set(collectCidrs(old)) })
}

function validateSpec(policy: ReadonlyPolicy, rules: RatchetingRules): FieldErrorList {
  const { podSelector = {}, policyTypes: types = [] } = policy.spec ?? {}
  const errors = validateLabelSelector(podSelector, specPath.child('podSelector'), rules)
  for (const { path, ports, peers, peersPath } of collectRules(policy)) {
    ports.forEach((port, i) => errors.push(...validatePort(port, path.child('ports').index(i))))
    peers.forEach((peer, i) => errors.push(...validatePeer(peer, peersPath.index(i), rules)))
  }
  const typesPath = specPath.child('policyTypes')
  if (types.length > policyTypes.length) {
    return [...errors, fieldError.invalid(typesPath, types, 'may not specify more than two policyTypes')]
  }
  types.forEach((type, i) => {
    if (!policyTypes.includes(type)) errors.push(fieldError.notSupported(typesPath.index(i), type, policyTypes))
  })
  return errors
}

function validatePort({ protocol, port, endPort }: DeepReadonly<NetworkPolicyPort>, path: FieldPath): FieldErrorList {
  const portPath = path.child('port')
  const endPath = path.child('endPort')
  const errors =
    protocol === undefined || protocols.includes(protocol) ? [] : [fieldError.notSupported(path.child('protocol'), protocol, protocols)]
  if (typeof port === 'number') {
    errors.push(...createInvalidErrors(isValidPortNum(port), port, portPath))
    if (endPort === undefined) return errors
    // Like kube-apiserver, the error shows the value of `port`.
    if (endPort < port) errors.push(fieldError.invalid(endPath, port, 'must be greater than or equal to `port`'))
    return [...errors, ...createInvalidErrors(isValidPortNum(endPort), endPort, endPath)]
  }
  if (endPort !== undefined) {
    const portState = port === undefined ? 'not specified' : 'non-numeric'
    errors.push(fieldError.invalid(endPath, endPort, `may not be specified when \`port\` is ${portState}`))
  }
  return port === undefined ? errors : [...errors, ...createInvalidErrors(isValidPortName(port), port, portPath)]
}

function validatePeer(peer: DeepReadonly<NetworkPolicyPeer>, path: FieldPath, rules: RatchetingRules): FieldErrorList {
  const { podSelector, namespaceSelector, ipBlock } = peer
  const peerKinds = [podSelector, namespaceSelector, ipBlock].filter((member) => member !== undefined).length
  return [
    ...validateLabelSelector(podSelector, path.child('podSelector'), rules),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector'), rules),
    ...(ipBlock === undefined ? [] : validateIPBlock(ipBlock, path.child('ipBlock'), rules)),
    ...(peerKinds === 0 ? [fieldError.required(path, 'must specify a peer')] : []),
    ...(peerKinds > 1 && ipBlock !== undefined ? [fieldError.forbidden(path, 'may not specify both ipBlock and another peer')] : []),
  ]
}

function validateIPBlock({ cidr, except = [] }: DeepReadonly<IPBlock>, path: FieldPath, { knownCidrs }: RatchetingRules): FieldErrorList {
  const cidrPath = path.child('cidr')
  if (cidr === '') return [fieldError.required(cidrPath)]
  const errors = validateLegacyCidr(cidr, cidrPath, knownCidrs)
  const network = parseCidr(cidr)
  if (network === undefined) return errors
  except.forEach((text, i) => {
    const at = path.child('except').index(i)
    errors.push(...validateLegacyCidr(text, at, knownCidrs))
    const exception = parseCidr(text)
    if (exception === undefined) return
    if (!containsCidr(network, exception) || network.prefixLength >= exception.prefixLength) {
      errors.push(fieldError.invalid(at, text, 'must be a strict subset of `cidr`'))
    }
  })
  return errors
}

import type { CertificateSigningRequest } from '@keelson/api/certificates/v1'
import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import type { ResourceSlice } from '@keelson/api/resource/v1'
import { quote, equalsSemantically } from '@keelson/apimachinery'
import { readCertificateRequestSubject } from '@keelson/resources'
import { newForbiddenWrite } from '../forbidden.ts'
import type { NodeWrite } from './index.ts'

/** Checks that a kubelet changes only those parts of a claim's status that concern resizing. */
export function checkClaimStatus({ node, attributes }: NodeWrite): void {
  const { operation, subresource } = attributes
  if (subresource !== 'status') throw newForbiddenWrite(attributes, 'may only update PVC status')
  if (operation !== 'UPDATE') throw newForbiddenWrite(attributes, `unexpected operation ${quote(operation)}`)
  const claim = withoutResizing(attributes.object as PersistentVolumeClaim)
  const old = withoutResizing(attributes.oldObject as PersistentVolumeClaim)
  if (equalsSemantically(claim, old)) return
  const changed = (['metadata', 'spec', 'status'] as const).filter((member) => !equalsSemantically(claim[member], old[member]))
  // The message differs from kube-apiserver's, which contains a diff in Go syntax.
  const message = `node ${quote(node)} is not allowed to update fields other than status.quantity and status.conditions: ${changed.join(', ')}`
  throw newForbiddenWrite(attributes, message)
}

function withoutResizing({
  metadata,
  spec,
  status = {},
}: PersistentVolumeClaim): Pick<PersistentVolumeClaim, 'metadata' | 'spec' | 'status'> {
  const { resourceVersion: _version, managedFields: _managers, ...restOfMetadata } = metadata
  const {
    capacity: _capacity,
    conditions: _conditions,
    allocatedResourceStatuses: _statuses,
    allocatedResources: _resources,
    ...rest
  } = status
  return { metadata: restOfMetadata, ...(spec && { spec }), status: rest }
}

export function checkLease({ node, attributes }: NodeWrite): void {
  const { namespace, name } = attributes
  if (namespace !== 'kube-node-lease')
    throw newForbiddenWrite(attributes, 'can only access leases in the "kube-node-lease" system namespace')
  if (name !== node) throw newForbiddenWrite(attributes, 'can only access node lease with the same name as the requesting node')
}

export function checkCSINode({ node, attributes }: NodeWrite): void {
  if (attributes.name !== node) throw newForbiddenWrite(attributes, 'can only access CSINode with the same name as the requesting node')
}

/**
 * Checks that a kubelet creates only ResourceSlices of its own node, and deletes collections of them only for its own node. The Node
 * authorizer checks the other verbs.
 */
export function checkSlice({ node, attributes }: NodeWrite): void {
  const { operation } = attributes
  if (operation !== 'CREATE' && operation !== 'DELETE') return
  const slice = (operation === 'CREATE' ? attributes.object : attributes.oldObject) as ResourceSlice
  if (slice.spec.nodeName === node) return
  throw newForbiddenWrite(attributes, `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`)
}

const kubeletSigners: ReadonlySet<string> = new Set(['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'])

/** Checks that a kubelet requests only kubelet certificates for its own node. */
export function checkCSR({ node, attributes }: NodeWrite): void {
  if (attributes.operation !== 'CREATE') return
  const { signerName, request } = (attributes.object as CertificateSigningRequest).spec
  if (!kubeletSigners.has(signerName)) return
  const subject = readCertificateRequestSubject(request ?? '')
  if ('error' in subject) throw newForbiddenWrite(attributes, `unable to parse csr: ${subject.error}`)
  const expectedUser = `system:node:${node}`
  if (subject.commonName !== expectedUser) throw newForbiddenWrite(attributes, `can only create a node CSR with CN=${expectedUser}`)
}

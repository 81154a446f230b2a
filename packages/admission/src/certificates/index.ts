import type { CertificateSigningRequest } from '@keelson/api/certificates/v1'
import type { Authorizer } from '@keelson/auth'
import { mastersGroup, quote, createResourceAction, equalsSemantically } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { readCertificateRequestSubject } from '@keelson/resources'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { newForbiddenWrite } from '../forbidden.ts'

const clientSigner = 'kubernetes.io/kube-apiserver-client'

/**
 * Creates the plugin CertificateApproval. Users who approve or deny a signing request must have the permission `approve` for its signer.
 */
export function createCertificateApprovalPlugin({ authorizer }: PluginDependencies): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    operations: ['UPDATE'],
    resources: ['certificatesigningrequests.certificates.k8s.io/approval'],
    validate(attributes: AdmissionAttributes) {
      // Uses the signer of the old object, because an update could change the signer in the new one.
      const { signerName } = (attributes.oldObject as CertificateSigningRequest).spec
      const refusal = `user not permitted to approve requests with signerName ${quote(signerName)}`
      return requireFor(authorizer, attributes, { verb: 'approve', signerName, refusal })
    },
  }
}

/**
 * Creates the plugin CertificateSigning. Users who issue a certificate, or mark the request as failed, must have the permission `sign` for
 * its signer.
 */
export function createCertificateSigningPlugin({ authorizer }: PluginDependencies): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    operations: ['UPDATE'],
    resources: ['certificatesigningrequests.certificates.k8s.io/status'],
    validate(attributes: AdmissionAttributes) {
      const { status = {} } = attributes.object as CertificateSigningRequest
      const { status: old = {}, spec } = attributes.oldObject as CertificateSigningRequest
      if (status.certificate === old.certificate && equalsSemantically(status.conditions ?? [], old.conditions ?? [])) return
      const { signerName } = spec
      const refusal = `user not permitted to sign requests with signerName ${quote(signerName)}`
      return requireFor(authorizer, attributes, { verb: 'sign', signerName, refusal })
    },
  }
}

/** Creates the plugin CertificateSubjectRestriction. It rejects requests for client certificates of `system:masters`. */
export function createCertificateSubjectRestrictionPlugin(): AdmissionPlugin {
  return {
    name: 'CertificateSubjectRestriction',
    operations: ['CREATE'],
    resources: ['certificatesigningrequests.certificates.k8s.io'],
    validate(attributes: AdmissionAttributes) {
      const { signerName, request } = (attributes.object as CertificateSigningRequest).spec
      if (signerName !== clientSigner) return
      const subject = readCertificateRequestSubject(request ?? '')
      if ('error' in subject) throw newForbiddenWrite(attributes, `failed to parse CSR: ${subject.error}`)
      if (!subject.organizations.includes(mastersGroup)) return
      throw newForbiddenWrite(attributes, `use of ${clientSigner} signer with ${mastersGroup} group is not allowed`)
    },
  }
}

type TrustBundle = KubeObject & { readonly spec?: { readonly signerName?: string } }

/**
 * Creates the plugin ClusterTrustBundleAttest. Users who write a trust bundle of a signer must have the permission `attest` for the signer.
 */
export function createClusterTrustBundleAttestPlugin({ authorizer }: PluginDependencies): AdmissionPlugin {
  return {
    name: 'ClusterTrustBundleAttest',
    operations: ['CREATE', 'UPDATE'],
    resources: ['clustertrustbundles.certificates.k8s.io'],
    validate(attributes: AdmissionAttributes) {
      const { object, oldObject } = attributes
      const { signerName = '' } = (object as TrustBundle).spec ?? {}
      if (signerName === '' || (oldObject !== undefined && differOnlyForCollector(object!, oldObject))) return
      const refusal = `user not permitted to attest for signerName ${quote(signerName)}`
      return requireFor(authorizer, attributes, { verb: 'attest', signerName, refusal })
    },
  }
}

interface SignerPermission {
  readonly verb: string
  readonly signerName: string
  readonly refusal: string
}

/** Throws 403 unless the user has the permission for the signer, or for all signers of its domain. */
async function requireFor(
  authorizer: Authorizer,
  attributes: AdmissionAttributes,
  { verb, signerName, refusal }: SignerPermission,
): Promise<void> {
  const { user } = attributes.context
  for (const name of [signerName, `${signerName.split('/', 1)[0]!}/*`]) {
    const action = createResourceAction({ verb, apiGroup: 'certificates.k8s.io', apiVersion: '*', resource: 'signers', name })
    if ((await authorizer.authorize({ user, action })).decision === 'allow') return
  }
  throw newForbiddenWrite(attributes, refusal)
}

/** Returns whether the objects differ only in owner references and finalizers. The garbage collector changes those. */
function differOnlyForCollector(object: KubeObject, old: KubeObject): boolean {
  return equalsSemantically(withoutCollectorFields(object), withoutCollectorFields(old))
}

function withoutCollectorFields({ metadata, ...rest }: KubeObject): unknown {
  const { ownerReferences: _owners, finalizers: _finalizers, selfLink: _link, managedFields: _managers, ...others } = metadata
  return { ...rest, metadata: others }
}

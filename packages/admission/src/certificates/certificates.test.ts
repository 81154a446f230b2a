import type { CertificateSigningRequest } from '@keelson/api/certificates/v1'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { admitObject, openTestCluster, update, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import {
  createCertificateApprovalPlugin,
  createCertificateSigningPlugin,
  createCertificateSubjectRestrictionPlugin,
  createClusterTrustBundleAttestPlugin,
} from './index.ts'

let cluster: TestCluster
beforeEach(() => {
  cluster = openTestCluster([])
})
afterEach(() => cluster[Symbol.asyncDispose]())

/** Certificate signing request with the subject "/O=dev/O=system:masters/CN=x". */
const mastersRequest =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIdU1JR1ZBZ0VBTURNeEREQUtCZ05WQkFvTUEyUmxkakVYTUJVR0ExVUVDZ3dPYzNsemRHVnRPbTFoYzNSbApjbk14Q2pBSUJnTlZCQU1NQVhnd1dUQVRCZ2NxaGtqT1BRSUJCZ2dxaGtqT1BRTUJCd05DQUFUQlBZaG5CWG0xCnE2OWdYbWlPQmc5NEJTMWZkbEFVTW83cU40b1ZBZlg0MXNlVGpDOFJBTndWVkk0clVqUXIwLzlnTWd4VVFETW4KVDlLTURRK1VyMUtlb0FBd0NnWUlLb1pJemowRUF3SURTQUF3UlFJaEFQaGZtT2VuZHZjWkJna2RVb2tOVVNvbQp1UjJWQmVXYnVJOStVK2xlZUdtZEFpQUlvZjYzYzAxeXMxY2dZaGI5dGVyL2NCaUNTUDBibDZ4UW1oenpOandBClJRPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg=='
const request = (
  status: CertificateSigningRequest['status'] = {},
  spec: Partial<CertificateSigningRequest['spec']> = {},
): CertificateSigningRequest => ({
  metadata: { name: 'r' },
  spec: { request: mastersRequest, signerName: 'example.com/s', usages: ['client auth'], ...spec },
  status,
})
const approved = { conditions: [{ type: 'Approved', status: 'True' }] }
const matchRefusal = (message: string) => ({ code: 403, message: expect.stringContaining(message) })

it.each([
  ['approval', 'approve', createCertificateApprovalPlugin],
  ['status', 'sign', createCertificateSigningPlugin],
] as const)('changing %s requires permission to %s for the signer or its domain', async (subresource, verb, plugin) => {
  const change = () => admitObject(plugin(cluster), update('certificatesigningrequests', request(), request(approved), { subresource }))
  const message = `certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to ${verb} requests with signerName "example.com/s"`
  await expect(change()).rejects.toMatchObject({ code: 403, message })
  for (const name of ['example.com/s', 'example.com/*']) {
    cluster.allowed.add(`${verb} certificates.k8s.io/signers ${name}`)
    await change()
    cluster.allowed.clear()
  }
})

it('other status changes require no permission for the signer', async () => {
  const change = update('certificatesigningrequests', request(approved), request(approved), { subresource: 'status' })
  await admitObject(createCertificateSigningPlugin(cluster), change)
  await admitObject(createCertificateApprovalPlugin(cluster), update('certificatesigningrequests', request(), request(approved)))
})

it('refuses client certificates of system:masters', async () => {
  const create = (spec: Partial<CertificateSigningRequest['spec']>) =>
    admitObject(createCertificateSubjectRestrictionPlugin(), write('certificatesigningrequests', request({}, spec)))
  const signerName = 'kubernetes.io/kube-apiserver-client'
  await create({})
  await expect(create({ signerName })).rejects.toMatchObject(
    matchRefusal('use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed'),
  )
  await expect(create({ signerName, request: '' })).rejects.toMatchObject(
    matchRefusal('failed to parse CSR: PEM block type must be CERTIFICATE REQUEST'),
  )
})

it('writing a trust bundle requires permission to attest for its signer, except changes of ownerReferences only', async () => {
  const createBundle = (trustBundle: string, finalizers: string[] = []) => ({
    metadata: { name: 'b', finalizers },
    spec: { signerName: 'example.com/s', trustBundle },
  })
  const plugin = createClusterTrustBundleAttestPlugin(cluster)
  await expect(admitObject(plugin, write('clustertrustbundles', createBundle('a')))).rejects.toMatchObject(
    matchRefusal('user not permitted to attest for signerName "example.com/s"'),
  )
  await expect(admitObject(plugin, update('clustertrustbundles', createBundle('a'), createBundle('b')))).rejects.toMatchObject({
    code: 403,
  })
  await admitObject(plugin, update('clustertrustbundles', createBundle('a'), createBundle('a', ['f'])))
  cluster.allowed.add('attest certificates.k8s.io/signers example.com/s')
  await admitObject(plugin, write('clustertrustbundles', createBundle('a')))
})

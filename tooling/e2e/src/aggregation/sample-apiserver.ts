import path from 'node:path'
import type { Kubectl } from '../kubectl/kubectl.ts'
import { issueCertificate } from '../operators/issue-certificate.ts'
import { OperatorProcess } from '../operators/operator-process.ts'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
import { freePorts } from '../real-parts/etcd-process.ts'
import { writeKubeconfig } from '../write-kubeconfig.ts'

/** Namespace of the service and the service account of sample-apiserver. */
const namespace = 'wardle'

/** Compiles `k8s.io/sample-apiserver`, Kubernetes' example of an extension API server. */
export function buildSampleApiserver(): Promise<string | undefined> {
  return buildGoDirectory({
    what: 'k8s.io/sample-apiserver',
    name: 'sample-apiserver',
    package: 'k8s.io/sample-apiserver',
    url: new URL('sample-apiserver/', import.meta.url),
  })
}

export interface SampleApiserverOptions {
  readonly program: string
  readonly openssl: string
  readonly etcdUrl: string
  /** Directory for certificates and the kubeconfig. */
  readonly directory: string
  /** kubectl on the server in front, with the permissions of an administrator. */
  readonly kubectl: Kubectl
  /** URL of the server in front. */
  readonly frontUrl: string
}

/** sample-apiserver behind another API server, as its service account. */
export class SampleApiserver implements AsyncDisposable {
  readonly url: string
  readonly #program: string
  readonly #flags: readonly string[]
  #process: OperatorProcess

  private constructor(program: string, flags: readonly string[], url: string) {
    this.url = url
    this.#program = program
    this.#flags = flags
    this.#process = new OperatorProcess(program, flags)
  }

  /** Grants the permissions of extension API servers, starts sample-apiserver and registers its group. */
  static async open(options: SampleApiserverOptions): Promise<SampleApiserver> {
    const { program, openssl, etcdUrl, directory, kubectl, frontUrl } = options
    const [port = 0] = await freePorts(1)
    const certificate = await issueCertificate(openssl, directory, `DNS:api.${namespace}.svc`)
    await kubectl.run(['apply', '-f', '-'], { input: permissions })
    const token = (await kubectl.run(['create', 'token', 'apiserver', '-n', namespace])).trim()
    const kubeconfig = await writeKubeconfig(path.join(directory, 'kubeconfig'), { url: frontUrl, token })
    const flags = [
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      `--etcd-servers=${etcdUrl}`,
      `--tls-cert-file=${path.join(directory, 'tls.crt')}`,
      `--tls-private-key-file=${path.join(directory, 'tls.key')}`,
      ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${kubeconfig}`),
    ]
    const server = new SampleApiserver(program, flags, `https://127.0.0.1:${port}`)
    await kubectl.run(['apply', '-f', '-'], { input: createRegistration(port, certificate) })
    return server
  }

  get output(): string {
    return this.#process.output
  }

  kill(): Promise<void> {
    return this.#process.stop('SIGKILL')
  }

  /** Starts sample-apiserver again after it was killed. */
  start(): void {
    this.#process = new OperatorProcess(this.#program, this.#flags)
  }

  pause(): void {
    this.#process.pause()
  }

  resume(): void {
    this.#process.resume()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }
}

const permissions = `
apiVersion: v1
kind: Namespace
metadata: { name: ${namespace} }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: apiserver, namespace: ${namespace} }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: wardle-auth-delegator }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:auth-delegator }
subjects: [{ kind: ServiceAccount, name: apiserver, namespace: ${namespace} }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: wardle-auth-reader, namespace: kube-system }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader }
subjects: [{ kind: ServiceAccount, name: apiserver, namespace: ${namespace} }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: wardle-apiserver }
rules:
  - { apiGroups: [''], resources: [namespaces], verbs: [get, list, watch] }
  - apiGroups: [admissionregistration.k8s.io]
    resources:
      - mutatingwebhookconfigurations
      - validatingwebhookconfigurations
      - mutatingadmissionpolicies
      - mutatingadmissionpolicybindings
      - validatingadmissionpolicies
      - validatingadmissionpolicybindings
    verbs: [get, list, watch]
  - { apiGroups: [flowcontrol.apiserver.k8s.io], resources: [prioritylevelconfigurations, flowschemas], verbs: [list, watch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: wardle-apiserver }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: wardle-apiserver }
subjects: [{ kind: ServiceAccount, name: apiserver, namespace: ${namespace} }]
`

function createRegistration(port: number, certificate: string): string {
  const createApiService = (version: string, versionPriority: number): string => `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: ${version}.wardle.example.com }
spec:
  group: wardle.example.com
  version: ${version}
  groupPriorityMinimum: 1000
  versionPriority: ${versionPriority}
  caBundle: ${Buffer.from(certificate).toString('base64')}
  service: { namespace: ${namespace}, name: api, port: ${port} }
`
  return `
apiVersion: v1
kind: Service
metadata: { name: api, namespace: ${namespace} }
spec: { type: ExternalName, externalName: localhost }
---${createApiService('v1beta1', 20)}---${createApiService('v1alpha1', 10)}`
}

/** Names that belong to a protobuf package: API group, folder and OpenAPI prefix. */
export interface PackagePlace {
  readonly group: string
  readonly version: string
  /** "core/v1": folder of the generated code, and subpath of the package export. */
  readonly folder: string
  readonly definition: string
}

const prefixes: Readonly<Record<string, string>> = {
  'k8s.io.api.': 'io.k8s.api.',
  'k8s.io.apimachinery.pkg.apis.': 'io.k8s.apimachinery.pkg.apis.',
  'k8s.io.apiextensions_apiserver.pkg.apis.': 'io.k8s.apiextensions-apiserver.pkg.apis.',
  'k8s.io.kube_aggregator.pkg.apis.': 'io.k8s.kube-aggregator.pkg.apis.',
  'k8s.io.apiserver.pkg.apis.': 'io.k8s.apiserver.pkg.apis.',
}

/** API groups by folder, if the group is not the name of the folder followed by `.k8s.io`. */
const groups: Readonly<Record<string, string>> = {
  core: '',
  apps: 'apps',
  autoscaling: 'autoscaling',
  batch: 'batch',
  extensions: 'extensions',
  policy: 'policy',
  apiserverinternal: 'internal.apiserver.k8s.io',
  flowcontrol: 'flowcontrol.apiserver.k8s.io',
  rbac: 'rbac.authorization.k8s.io',
}

/** Groups that only upstream's tests use. No code is generated for these groups. */
const testGroups = new Set(['testapigroup', 'example2'])

export function findPackagePlace(protoPackage: string): PackagePlace | undefined {
  for (const [prefix, definitionPrefix] of Object.entries(prefixes)) {
    if (!protoPackage.startsWith(prefix)) continue
    const [name, version] = protoPackage.slice(prefix.length).split('.')
    if (name === undefined || version === undefined || testGroups.has(name)) return undefined
    return {
      group: groups[name] ?? `${name}.k8s.io`,
      version,
      folder: `${name}/${version}`,
      definition: `${definitionPrefix}${name}.${version}`,
    }
  }
  return undefined
}

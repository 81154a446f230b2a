/** The places of a group version in discovery. Higher values come first. */
export interface Priorities {
  readonly group: number
  readonly version: number
}

/** Priorities of the built-in groups: that of the group, and those of its versions. */
const builtin: Readonly<Record<string, readonly [group: number, versions: Readonly<Record<string, number>>]>> = {
  '': [18_000, { v1: 1 }],
  apps: [17_800, { v1: 15 }],
  'events.k8s.io': [17_750, { v1: 15, v1beta1: 5 }],
  'authentication.k8s.io': [17_700, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'authorization.k8s.io': [17_600, { v1: 15 }],
  autoscaling: [17_500, { v2: 30, v1: 15, v2beta1: 9, v2beta2: 1 }],
  batch: [17_400, { v1: 15, v1beta1: 9, v2alpha1: 9 }],
  'certificates.k8s.io': [17_300, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'networking.k8s.io': [17_200, { v1: 15, v1beta1: 9 }],
  policy: [17_100, { v1: 15, v1beta1: 9 }],
  'rbac.authorization.k8s.io': [17_000, { v1: 15 }],
  'storage.k8s.io': [16_800, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'apiextensions.k8s.io': [16_700, { v1: 15 }],
  'admissionregistration.k8s.io': [16_700, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
  'scheduling.k8s.io': [16_600, { v1: 15, v1alpha2: 2 }],
  'coordination.k8s.io': [16_500, { v1: 15, v1beta1: 13, v1alpha2: 12 }],
  'node.k8s.io': [16_300, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'discovery.k8s.io': [16_200, { v1: 15, v1beta1: 12 }],
  'resource.k8s.io': [16_200, { v1: 21, v1beta2: 15, v1beta1: 9, v1alpha3: 1 }],
  'flowcontrol.apiserver.k8s.io': [16_100, { v1: 21, v1beta3: 18, v1beta2: 15, v1beta1: 12, v1alpha1: 9 }],
  'internal.apiserver.k8s.io': [16_000, { v1alpha1: 9 }],
  'storagemigration.k8s.io': [15_800, { v1beta1: 9 }],
}

/** Returns the priorities of a built-in group version. Returns undefined for other group versions. */
export function findBuiltinPriorities(group: string, version: string): Priorities | undefined {
  if (!Object.hasOwn(builtin, group)) return undefined
  const [priority, versions] = builtin[group]!
  return Object.hasOwn(versions, version) ? { group: priority, version: versions[version]! } : undefined
}

/** Priority of every version of a custom resource. Its versions are listed by stability and age. */
export const customVersionPriority = 100

/** Maximum group priority of an APIService. */
const maxGroupPriority = 20_000

/** Returns the priorities of a version of a group that is not built in. `index` is the position of the version in its group. */
export function createPriorities(
  groupPriority: number,
  { isCustom, index }: { readonly isCustom: boolean; readonly index: number },
): Priorities {
  return {
    group: Math.min(Math.max(groupPriority, 1), maxGroupPriority),
    version: isCustom ? customVersionPriority : Math.max(customVersionPriority - index, 1),
  }
}

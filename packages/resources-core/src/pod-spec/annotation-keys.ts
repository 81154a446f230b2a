/** Annotation of static pods, set by kubelets. */
export const mirrorAnnotation: string = 'kubernetes.io/config.mirror'
export const tolerationsAnnotation: string = 'scheduler.alpha.kubernetes.io/tolerations'
export const deletionCostAnnotation: string = 'controller.kubernetes.io/pod-deletion-cost'
export const seccompPodAnnotation: string = 'seccomp.security.alpha.kubernetes.io/pod'
/** Prefix of an annotation for one container, followed by its name. */
export const seccompContainerPrefix: string = 'container.seccomp.security.alpha.kubernetes.io/'
export const appArmorContainerPrefix: string = 'container.apparmor.security.beta.kubernetes.io/'
/** Obsolete annotations with init containers. They are always removed. */
export const initContainerAnnotations: readonly string[] = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
]

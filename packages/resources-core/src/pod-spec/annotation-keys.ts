/** Annotation that kubelets set on the mirror pods of static pods. */
export const mirrorAnnotation: string = 'kubernetes.io/config.mirror'
export const tolerationsAnnotation: string = 'scheduler.alpha.kubernetes.io/tolerations'
export const deletionCostAnnotation: string = 'controller.kubernetes.io/pod-deletion-cost'
export const seccompPodAnnotation: string = 'seccomp.security.alpha.kubernetes.io/pod'
/** Prefix of the seccomp annotation of a container. The name of the container follows. */
export const seccompContainerPrefix: string = 'container.seccomp.security.alpha.kubernetes.io/'
export const appArmorContainerPrefix: string = 'container.apparmor.security.beta.kubernetes.io/'
/** Obsolete annotations that contained init containers. The server always removes these annotations. */
export const initContainerAnnotations: readonly string[] = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
]

import { matchLines, matchTable } from '../expected.ts'
import type { Topic } from '../topic.ts'

const containers = 'get deployment d -o jsonpath={.spec.template.spec.containers[0]'

export const set: Topic = {
  'images, environments, resources and accounts of a template': [
    ['create deployment d --image=nginx:1', 'deployment.apps/d created'],
    ['create configmap more --from-literal=x=1', 'configmap/more created'],
    ['create serviceaccount bot', 'serviceaccount/bot created'],
    ['set image deployment/d nginx=nginx:2', 'deployment.apps/d image updated'],
    [`${containers}.image}`, 'nginx:2'],
    ['set image deployment/d nope=nginx:2', { code: 1, stderr: 'error: unable to find container named "nope"' }],
    ["set image deployment/d '*=nginx:3' --dry-run=server", 'deployment.apps/d image updated (server dry run)'],
    ['set env deployment/d A=1 B=2', 'deployment.apps/d env updated'],
    ['set env deployment/d B-', 'deployment.apps/d env updated'],
    ['set env deployment/d --from=configmap/more', { stdout: 'deployment.apps/d env updated', stderr: 'Warning: key x transferred to X' }],
    ['set env deployment/d --list', '# Deployment d, container nginx\nA=1\n# X from configmap more, key x'],
    ['set resources deployment d --limits=cpu=200m,memory=512Mi --requests=cpu=100m', 'deployment.apps/d resource requirements updated'],
    [`${containers}.resources}`, '{"limits":{"cpu":"200m","memory":"512Mi"},"requests":{"cpu":"100m"}}'],
    [
      'set resources deployment d --limits=cpu=200m --requests=cpu=300m',
      {
        code: 1,
        stderr:
          'error: failed to patch resources update to pod template Deployment.apps "d" is invalid: spec.template.spec.containers[0].resources.requests: Invalid value: "300m": must be less than or equal to cpu limit of 200m',
      },
    ],
    ['set serviceaccount deployment d bot', 'deployment.apps/d serviceaccount updated'],
    ['get deployment d -o jsonpath={.spec.template.spec.serviceAccountName}/{.metadata.generation}', 'bot/7'],
  ],
  'selectors and subjects': [
    ['create service clusterip s --tcp=80', 'service/s created'],
    ['set selector svc/s a=b,c=d', 'service/s selector updated'],
    ['get svc s -o wide', matchTable('NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE SELECTOR', 's ClusterIP * <none> 80/TCP * a=b,c=d')],
    ['set selector svc/nope a=b', { code: 1, stderr: 'Error from server (NotFound): services "nope" not found' }],
    ['create rolebinding b --role=r --user=u', 'rolebinding.rbac.authorization.k8s.io/b created'],
    ['set subject rolebinding b --user=v --group=g --serviceaccount=ns:bot', 'rolebinding.rbac.authorization.k8s.io/b subjects updated'],
    ['get rolebinding b -o wide', matchTable('NAME ROLE AGE USERS GROUPS SERVICEACCOUNTS', 'b Role/r * u, v g ns/bot')],
  ],
  expose: [
    ['create deployment web --image=x --port=8080', 'deployment.apps/web created'],
    ['expose deployment web', 'service/web exposed'],
    ['expose deployment web --port=80 --target-port=http --name=named --type=NodePort', 'service/named exposed'],
    ['expose deployment web', { code: 1, stderr: 'Error from server (AlreadyExists): services "web" already exists' }],
    ['get svc web', matchTable('NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE', 'web ClusterIP * <none> 8080/TCP *')],
    [
      'describe svc named',
      matchLines(
        'Selector: app=web',
        'Type: NodePort',
        'TargetPort: http/TCP',
        'Session Affinity: None',
        'External Traffic Policy: Cluster',
      ),
    ],
    ['run p --image=x --port=80 --labels=a=b', 'pod/p created'],
    ['expose pod p', 'service/p exposed'],
    ['get svc p -o wide --no-headers', matchTable('p ClusterIP * <none> 80/TCP * a=b')],
    ['expose service p --port=90 --name=again --dry-run=server -o jsonpath={.spec.selector}', '{"a":"b"}'],
  ],
}

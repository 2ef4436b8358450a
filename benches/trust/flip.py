import numpy as np, subprocess, json, sys
def made(seed,n,pull,f,path,truth=False):
    r=np.random.default_rng(seed); age,s,z=r.random(n),r.normal(size=n),r.normal(size=n)
    y=r.random(n)<1/(1+np.exp(-(2.5*s+pull*(age-.5)-.5))); l=y&(r.random(n)<f(age))
    with open(path,'w') as o:
        o.write('y,truth,age,signal,noise\n' if truth else 'label,age,signal,noise\n')
        for i in range(n): o.write(f"{int(l[i])},"+(f"{int(y[i])}," if truth else "")+f"{age[i]:.6f},{s[i]:.6f},{z[i]:.6f}\n")
    return y.mean()
made(100,4000,-4,lambda a:0*a+.5,'t.csv',True)
for kind,f in (('flip',lambda a:np.where(a>.5,.6,.04)),('random',lambda a:0*a+.3)):
  pi=made(1,3000,-4,f,'x.csv')
  for meth in (['--model','trees'],['--method','naive','--model','trees'],['--effort','quick']):
    for extra in ([],['--labeling-depends-on','age']):
        p=subprocess.run(['/tmp/lab/onesided2','fit','x.csv','--label','label','--prior',str(pi),'--out','m','--json',*meth,*extra],capture_output=True,text=True)
        if p.returncode: print(p.stderr[-300:]); continue
        w=json.loads(p.stdout)['who_labels']
        e=json.loads(subprocess.run(['/tmp/lab/onesided2','evaluate','m','t.csv','--truth','truth','--json'],capture_output=True,text=True).stdout or '{}')
        print(kind,meth,extra,round(e.get('auc',0),4),w and (w['used'],round(w['gain'],2),np.round(w['chance'],3),np.round(w['auc'],3)))

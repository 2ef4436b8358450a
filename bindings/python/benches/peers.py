import warnings; warnings.simplefilter('ignore')
import os; os.environ['PYTHONWARNINGS']='ignore'
import signal
signal.signal(signal.SIGALRM, lambda *a: (_ for _ in ()).throw(TimeoutError()))
import inspect, importlib, pkgutil, sys
from collections import Counter
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.estimator_checks import check_estimator
from sklearn.linear_model import LogisticRegression
found={}
for root in ('pulearn','pu_toolbox'):
    try: m=importlib.import_module(root)
    except Exception as e: print(root,e); continue
    for info in pkgutil.walk_packages(m.__path__, root+'.'):
        try: mod=importlib.import_module(info.name)
        except BaseException as e: continue
        for n,c in inspect.getmembers(mod, inspect.isclass):
            if issubclass(c,BaseEstimator) and (issubclass(c,ClassifierMixin) or hasattr(c,'predict')) and c.__module__.startswith(root) and not n.startswith('_') and not inspect.isabstract(c): found[(root,n)]=c
for (root,n),c in sorted(found.items()):
    e=None
    try: e=c()
    except Exception:
        for a in ((LogisticRegression(),),):
            for kw in ({}, {'estimator':LogisticRegression()},{'base_estimator':LogisticRegression()}):
                try: e=c(*(a if not kw else ()),**kw); break
                except Exception as x: pass
    if e is None: print(root,n,'cannot be made without arguments'); continue
    try: 
        import signal
        signal.alarm(100)
        r=check_estimator(e,on_fail=None,on_skip=None)
        print(root,n,dict(Counter(x['status'] for x in r)),flush=True)
    except BaseException as x: print(root,n,'raised',repr(x)[:150],flush=True)
    finally: signal.alarm(0)

;;; emacs.el --- Opens a file, waits for diagnostics, kills the server, applies the quick fix, writes down what happened  -*- lexical-binding: t; -*-

;; SNIPPET, FILE and REPORT are given in the environment; the server is the `torchwise' of PATH.

(require 'json)
(package-initialize)
(setq eglot-sync-connect 30
      eglot-autoshutdown t
      eglot-confirm-server-initiated-edits nil
      make-backup-files nil)
(load (getenv "SNIPPET"))
(require 'eglot)
(require 'flymake)

(defun wait-for (what condition)
  "Lets messages come in until CONDITION holds; says WHAT was waited for in vain."
  (let ((end (+ (float-time) 30)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (unless (funcall condition) (error "waited in vain for %s" what))))

(defun pid-of-server ()
  (when-let ((server (eglot-current-server))) (process-id (jsonrpc--process server))))

(defun killed-and-back (connected)
  "Eglot connects again by itself where the server had run for `eglot-autoreconnect' seconds since CONNECTED."
  (wait-for "a server that has run for long" (lambda () (> (- (float-time) connected) (1+ eglot-autoreconnect))))
  (let ((pid (pid-of-server)))
    (signal-process pid 'SIGKILL)
    (wait-for "another server" (lambda () (and (pid-of-server) (/= (pid-of-server) pid))))
    (flymake-start)
    (wait-for "diagnostics of the other server" (lambda () (flymake-diagnostics)))))

(defun run ()
  (find-file (getenv "FILE"))
  (python-mode)
  (unless (eglot-current-server) (call-interactively #'eglot))
  (wait-for "the server" #'eglot-current-server)
  (let ((connected (float-time)))
    (flymake-start)
    (wait-for "diagnostics" (lambda () (flymake-diagnostics)))
    (killed-and-back connected))
  (let* ((found (car (flymake-diagnostics)))
         (start (flymake-diagnostic-beg found))
         (shown `((row . ,(line-number-at-pos start))
                  (column . ,(save-excursion (goto-char start) (1+ (current-column))))
                  (message . ,(substring-no-properties (flymake-diagnostic-text found)))))
         (before (buffer-string)))
    (goto-char start)
    ;; The preferred action is what Return would choose.
    (let ((last-nonmenu-event t))
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_prompt choices &rest more) (or (nth 4 more) (caar choices)))))
        (eglot-code-actions start (flymake-diagnostic-end found) "quickfix" t)))
    (wait-for "the fix" (lambda () (not (equal before (buffer-string)))))
    (save-buffer)
    (wait-for "the finding to go" (lambda () (flymake-start) (not (flymake-diagnostics))))
    shown))

(let ((outcome (condition-case failure
                   `((ok . t) (result . ,(run)))
                 (error `((ok . :json-false) (result . ,(error-message-string failure)))))))
  (with-temp-file (getenv "REPORT") (insert (json-encode outcome)))
  (kill-emacs 0))

/// A shell for which completions are offered. The program itself computes the candidates for the words typed so far.
/// The shell's script only passes the words to the program, and adds file names.
enum CompletionShell: String {
    case bash, zsh, fish

    /// Returns the script of a program.
    func script(for program: String) -> String {
        let function = "_" + program.map { $0 == "-" ? "_" : String($0) }.joined()
        switch self {
        case .bash: return Self.bash(program, function)
        case .zsh: return Self.zsh(program, function)
        case .fish: return Self.fish(program, "_" + function)
        }
    }

    /// Returns the script for bash. The script uses functions of the package bash-completion, which also loads the
    /// script.
    private static func bash(_ program: String, _ function: String) -> String {
        """
        # Completions of \(program) for bash, made by '\(program) --completions bash'.
        \(function)() {
            local cur words cword line
            # A colon and an equals sign are parts of words.
            _get_comp_words_by_ref -n := cur words cword || return
            local -a found=()
            COMPREPLY=()
            while IFS= read -r line; do
                case $line in
                :file) _filedir ;;
                :directory) _filedir -d ;;
                *) found+=("${line%%$'\\t'*}") ;;
                esac
            done < <("${words[0]}" --complete "${words[@]:1:cword}" 2>/dev/null)
            [[ ${#found[@]} != 0 ]] || return 0
            # Names of files are quoted here too, because bash quotes all words or none.
            compopt +o filenames
            for line in "${!COMPREPLY[@]}"; do
                [[ ! -d ${COMPREPLY[line]} ]] || COMPREPLY[line]+=/
            done
            COMPREPLY+=("${found[@]}")
            [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *[:/=] ]] || compopt -o nospace
            for line in "${!COMPREPLY[@]}"; do
                printf -v "COMPREPLY[line]" %q "${COMPREPLY[line]}"
            done
            __ltrim_colon_completions "$cur"
        }
        complete -F \(function) \(program)

        """
    }

    private static func zsh(_ program: String, _ function: String) -> String {
        """
        #compdef \(program)
        # Completions of \(program) for zsh, made by '\(program) --completions zsh'.
        \(function)() {
            local line word
            local -a whole open
            for line in "${(@f)$("${(@Q)words[1]}" --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
                word=${line%%$'\\t'*}
                case $line in
                '') ;;
                :file) _files ;;
                :directory) _files -/ ;;
                # A word that goes on is not followed by a space.
                *) case $word in
                    *[:/=]) open+=("${word//:/\\\\:}:${line#*$'\\t'}") ;;
                    *) whole+=("${word//:/\\\\:}:${line#*$'\\t'}") ;;
                    esac ;;
                esac
            done
            [[ ${#whole} == 0 ]] || _describe -t values value whole
            [[ ${#open} == 0 ]] || _describe -t values value open -S ''
        }
        \(function) "$@"

        """
    }

    private static func fish(_ program: String, _ function: String) -> String {
        """
        # Completions of \(program) for fish, made by '\(program) --completions fish'.
        function \(function)
            set -l words (commandline --current-process --tokenize --cut-at-cursor)
            set -l current (commandline --current-token --cut-at-cursor)
            for line in ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
                switch $line
                    case :file
                        __fish_complete_path "$current"
                    case :directory
                        __fish_complete_directories "$current"
                    case '*'
                        echo $line
                end
            end
        end
        complete --command \(program) --no-files --arguments '(\(function))'

        """
    }
}
